#include "src/sandbox/guest_notes.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using jsonrpc::Message;
using sandbox::GuestNotes;
using sandbox::Lessons;

namespace {

/// Writes down what it is shown.
class Shown final : public sandbox::GuestHost {
public:
    std::vector<std::string> lines;

    boost::asio::awaitable<std::string> request(Message) override { co_return ""; }
    void output(bool is_err, std::string_view text) override {
        lines.push_back((is_err ? "err " : "out ") + std::string(text));
    }
    void tick(std::string line) override { lines.push_back("tick " + line); }
    void progress(double done, std::optional<double> total, std::string message) override {
        lines.push_back("progress " + std::to_string(static_cast<int>(done)) + " " +
                        std::to_string(static_cast<int>(total.value_or(-1))) + " " + message);
    }
    void display(std::string type, std::string data, bool is_base64) override {
        lines.push_back("display " + type + " " + data + (is_base64 ? " base64" : ""));
    }
    void spent(std::chrono::nanoseconds) override {}
    void artifact(std::string name, std::optional<std::string> data, std::string skipped) override {
        lines.push_back("artifact " + name + " " + data.value_or("none") + " " + skipped);
    }
};

struct Fixture {
    std::shared_ptr<Lessons> lessons = std::make_shared<Lessons>();
    std::shared_ptr<Shown> shown = std::make_shared<Shown>();
    int ready = 0;
    std::vector<std::string> given_up;
    GuestNotes notes{lessons,
                     {[this] { ++ready; }, [this](const std::string& id) { given_up.push_back(id); }}};

    void say(const std::string& method, const std::string& params) {
        notes.take(Message::parse(jsonrpc::notification_line(method, params)));
    }
    void become_ready() { say("ready", R"({"python":"3.11.2","attestation":{"a":1}})"); }
};

} // namespace

TEST_CASE("GuestNotes: the first `ready` counts, and after it nobody can give code to others") {
    Fixture f;
    f.say("compiled", R"({"data":"YWJj"})");
    CHECK(f.lessons->compiled_guest == "abc");
    CHECK(f.notes.facts().empty());
    f.become_ready();
    CHECK(f.ready == 1);
    CHECK(f.notes.python() == "3.11.2");
    CHECK(f.notes.facts() == R"({"a":1})");
    f.say("ready", R"({"python":"9","attestation":{"a":2}})");
    f.say("compiled", R"({"data":"eHh4"})");
    CHECK(f.ready == 1);
    CHECK(f.notes.facts() == R"({"a":1})");
    CHECK(f.lessons->compiled_guest == "abc");
}

TEST_CASE("GuestNotes: code for others has a bound and is base64") {
    Fixture f;
    f.say("compiled", R"({"data":"not base64!"})");
    f.say("compiled", "{\"data\":\"" + std::string(Lessons::max_compiled_guest / 3 * 4 + 64, 'A') + "\"}");
    CHECK(f.lessons->compiled_guest.empty());
}

TEST_CASE("GuestNotes: what an execution shows reaches its host, in order, and none outside of one") {
    Fixture f;
    const auto show_all = [&] {
        f.say("output", R"({"stream":"stdout","text":"a"})");
        f.say("output", R"({"stream":"stderr","text":"b"})");
        f.say("tick", R"({"line":"c","total_bytes":9})");
        f.say("progress", R"({"done":1,"total":2,"message":"d"})");
        f.say("progress", R"({"done":3,"total":null,"message":null})");
        f.say("display", R"({"mime_type":"image/png","data":"AA=="})");
        f.say("display", R"({"mime_type":"text/html","text":"e"})");
        f.say("artifact", R"({"name":"f","data":"AA=="})");
        f.say("artifact", R"({"name":"g","skipped":"too large"})");
    };
    show_all();
    f.notes.begin(f.shown, 10, true);
    show_all();
    CHECK(f.shown->lines == std::vector<std::string>{"out a", "err b", "tick c", "progress 1 2 d",
                                                     "progress 3 -1 ", "display image/png AA== base64",
                                                     "display text/html e",
                                                     "artifact f AA== ", "artifact g none too large"});
    CHECK(f.notes.take_out() == "a");
    CHECK(f.notes.take_err() == "b");
    f.notes.end();
    CHECK(f.notes.host() == nullptr);
    show_all();
    CHECK(f.shown->lines.size() == 9);
    f.notes.begin(f.shown, 10, false);
    f.say("output", R"({"stream":"stdout","text":"z"})");
    CHECK(f.shown->lines.back() == "out z");
    CHECK(f.notes.take_out().empty());
}

TEST_CASE("GuestNotes: a guest that sends more than it was allowed is not believed") {
    Fixture f;
    f.notes.begin(f.shown, 2, true); // characters: of at most four bytes each, and one that was cut
    f.say("output", R"({"stream":"stdout","text":")" + std::string(12, 'x') + "\"}");
    f.say("output", R"({"stream":"stdout","text":"y"})");
    CHECK(f.shown->lines.size() == 1);
    CHECK(f.notes.take_out() == std::string(12, 'x'));
}

TEST_CASE("GuestNotes: what is malformed or unknown is dropped") {
    Fixture f;
    f.notes.begin(f.shown, 10, true);
    for (const char* params :
         {"{}", "[]", R"({"stream":7,"text":"a"})", R"({"stream":"stdout"})", R"({"done":"x"})",
          R"({"mime_type":7})", R"({"name":7})", R"({"data":7})", R"({"attestation":7,"python":[]})"})
        for (const char* method :
             {"output", "tick", "progress", "display", "artifact", "compiled", "ready", "else", "cancel"})
            f.say(method, params);
    CHECK(f.shown->lines.empty());
    CHECK(f.ready == 0);
    CHECK(f.given_up.empty());
    f.say("cancel", R"({"id":"a"})");
    CHECK(f.given_up == std::vector<std::string>{"\"a\""});
}
