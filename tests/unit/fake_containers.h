#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

#include "runtime_api/error.h"
#include "src/base/json.h"
#include "src/jsonrpc/message.h"
#include "src/sandbox/pool.h"

/// The guest of a container that is none. It is ready once the container is started, and takes code of a few
/// words: "hang" never ends, "die" ends the container, "ask" asks the host for `servers` and gives what it
/// said, all else succeeds.
struct FakeGuest {
    explicit FakeGuest(const boost::asio::any_io_executor& executor) : event(executor) {}

    void say(const std::string& line) {
        out.push_back(line + '\n');
        event.cancel();
    }
    void end() {
        ended = true;
        event.cancel();
    }

    void hear(const std::string& data) {
        for (std::size_t at = 0; at < data.size();) {
            const std::size_t end = std::min(data.find('\n', at), data.size());
            const std::string line = data.substr(at, end - at);
            if (line.starts_with("{\"jsonrpc\"")) take(jsonrpc::Message::parse(line));
            at = end + 1;
        }
    }

    boost::asio::steady_timer event; // cancel() says: there is something to read
    std::deque<std::string> out;
    bool ended = false;
    bool session = false;
    std::string execution; // the id of the one that runs
    std::vector<std::string> ran;

private:
    void take(const jsonrpc::Message& message) {
        if (message.method() == "execute") {
            execution = message.id();
            session = json::member(message.params(), "session") == "true";
            ran.push_back(json::unquote(json::member(message.params(), "code").value()));
            if (ran.back() == "die") return end();
            if (ran.back() == "ask") return say(R"({"jsonrpc":"2.0","id":7,"method":"servers","params":{}})");
            if (ran.back() != "hang") finish("null");
        } else if (message.kind() == jsonrpc::Message::Kind::result) {
            finish(json::quote(message.result()));
        }
    }

    void finish(const std::string& value) {
        say(R"({"jsonrpc":"2.0","id":)" + execution +
            R"(,"result":{"status":"success","exit_code":0,"value":)" + value +
            ",\"alive\":" + (session ? "true" : "false") + "}}");
    }
};

/// An engine whose containers are FakeGuests. Creates wait while `holds`, and fail with the first of
/// `refusals`.
class FakeContainers : public runtime_api::Engine {
public:
    explicit FakeContainers(boost::asio::any_io_executor executor) : executor_(executor), held_(executor) {
        held_.expires_at(boost::asio::steady_timer::time_point::max());
    }

    bool holds = false;
    bool cannot_freeze = false;
    std::vector<std::string> frozen; ///< Now.
    bool silent = false;             ///< Guests are never ready.
    std::string stuck;               ///< The one that cannot be removed.
    std::deque<runtime_api::Error> refusals;
    std::vector<std::string> created, removed;

    void release() {
        holds = false;
        held_.cancel();
    }
    std::shared_ptr<FakeGuest> guest(const std::string& name) { return guests_.at(name); }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& each : guests_) all.push_back(each.first);
        return all;
    }
    /// One that others made.
    void add(runtime_api::ContainerSummary other) { others_.push_back(std::move(other)); }

    boost::asio::awaitable<runtime_api::Created> create(runtime_api::ContainerSpec spec) override {
        while (holds) {
            boost::system::error_code ignored;
            co_await held_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
        }
        created.push_back(spec.name);
        if (!refusals.empty()) {
            const runtime_api::Error refusal = refusals.front();
            refusals.pop_front();
            throw refusal;
        }
        guests_[spec.name] = std::make_shared<FakeGuest>(executor_);
        runtime_api::Created made;
        made.id = spec.name;
        co_return made;
    }

    boost::asio::awaitable<std::unique_ptr<runtime_api::AttachStream>> attach(std::string name) override {
        std::unique_ptr<runtime_api::AttachStream> stream = std::make_unique<Stream>(guests_.at(name));
        co_return stream;
    }

    boost::asio::awaitable<void> start(std::string name) override {
        if (!silent)
            guests_.at(name)->say(
                R"({"jsonrpc":"2.0","method":"ready","params":{"python":"3.11.2","attestation":{}}})");
        co_return;
    }

    boost::asio::awaitable<void> remove(std::string name) override {
        if (name == stuck) throw runtime_api::Error(runtime_api::Errc::engine_fault, "it is busy");
        removed.push_back(name);
        std::erase_if(others_, [&](const auto& each) { return each.name == name; });
        if (const auto found = guests_.find(name); found != guests_.end()) {
            found->second->end();
            guests_.erase(found);
        }
        co_return;
    }

    boost::asio::awaitable<std::optional<runtime_api::ContainerState>> inspect(std::string name) override {
        std::optional<runtime_api::ContainerState> state;
        if (guests_.contains(name)) {
            state.emplace();
            state->name = name;
            state->running = !guests_.at(name)->ended;
            if (!state->running) state->exit_code = 137;
        }
        co_return state;
    }

    boost::asio::awaitable<std::vector<runtime_api::ContainerSummary>> list(std::string) override {
        co_return others_;
    }

    runtime_api::Dialect dialect() const override { return runtime_api::Dialect::libpod; }
    boost::asio::awaitable<runtime_api::EngineInfo> info() override { not_asked_for(); }
    boost::asio::awaitable<std::optional<runtime_api::ImageInfo>> image(std::string) override {
        not_asked_for();
    }
    boost::asio::awaitable<std::vector<runtime_api::ImageInfo>> images() override { not_asked_for(); }
    boost::asio::awaitable<void> pull(std::string, runtime_api::PullSink,
                                      std::vector<runtime_api::RegistryAuth>) override {
        not_asked_for();
    }
    boost::asio::awaitable<void> import_image(runtime_api::ImageImport) override { not_asked_for(); }
    boost::asio::awaitable<void> remove_image(std::string) override { not_asked_for(); }
    boost::asio::awaitable<int> wait(std::string, std::chrono::milliseconds) override { not_asked_for(); }
    boost::asio::awaitable<void> kill(std::string) override { not_asked_for(); }
    boost::asio::awaitable<void> freeze(std::string name) override {
        if (cannot_freeze) throw runtime_api::Error(runtime_api::Errc::engine_fault, "no freezer");
        frozen.push_back(name);
        co_return;
    }
    boost::asio::awaitable<void> thaw(std::string name) override {
        std::erase(frozen, name);
        co_return;
    }

private:
    [[noreturn]] static void not_asked_for() { throw std::logic_error("nobody should ask for this"); }

    class Stream : public runtime_api::AttachStream {
    public:
        explicit Stream(std::shared_ptr<FakeGuest> guest) : guest_(std::move(guest)) {}
        ~Stream() override { close(); }

        boost::asio::awaitable<Piece> read() override {
            const auto guest = guest_;
            while (guest->out.empty() && !guest->ended) {
                guest->event.expires_at(boost::asio::steady_timer::time_point::max());
                boost::system::error_code ignored;
                co_await guest->event.async_wait(
                    boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
            }
            Piece piece;
            if (!guest->ended) {
                piece.data = std::move(guest->out.front());
                guest->out.pop_front();
            }
            co_return piece;
        }

        boost::asio::awaitable<void> write(std::string data) override {
            guest_->hear(data);
            co_return;
        }

        void close() noexcept override { guest_->end(); }

    private:
        std::shared_ptr<FakeGuest> guest_;
    };

    boost::asio::any_io_executor executor_;
    boost::asio::steady_timer held_; // cancel() says: no longer held
    std::map<std::string, std::shared_ptr<FakeGuest>> guests_;
    std::vector<runtime_api::ContainerSummary> others_;
};

/// What sandboxes are made with, over such an engine. Declare it first: sandboxes must go before it.
struct FakeHost {
    boost::asio::io_context loop;
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("cordon-test-" + sandbox::random_hex(12));
    std::unique_ptr<sandbox::Instance> instance = std::make_unique<sandbox::Instance>(folder.string());
    std::shared_ptr<FakeContainers> engine = std::make_shared<FakeContainers>(loop.get_executor());
    std::shared_ptr<sandbox::Remover> remover =
        std::make_shared<sandbox::Remover>(loop.get_executor(), [](const std::string&) {});
    std::shared_ptr<sandbox::Lessons> lessons = std::make_shared<sandbox::Lessons>();
    bool strict = false;

    ~FakeHost() {
        remover->stop();
        instance.reset();
        std::filesystem::remove_all(folder);
    }

    sandbox::Workshop workshop() {
        engines::Found found;
        found.engine = engine;
        sandbox::Workshop workshop;
        workshop.executor = loop.get_executor();
        workshop.engine = engine;
        workshop.description = std::make_shared<sandbox::EngineDescription>(
            loop.get_executor(), std::make_shared<const engines::Found>(found), engines::SearchOptions());
        workshop.confinement.strict = strict;
        workshop.instance = instance.get();
        workshop.remover = remover;
        workshop.lessons = lessons;
        return workshop;
    }

    static boost::asio::awaitable<sandbox::Workshop> given(sandbox::Workshop workshop) { co_return workshop; }
    sandbox::Pool::WorkshopSource source() {
        return [this] { return given(workshop()); };
    }

    /// All that can be done now, without the clock.
    void settle() {
        loop.restart();
        loop.poll();
    }
    /// Does something on the loop as soon as it comes true, before what was begun by that: cancels in
    /// between.
    void once(std::function<bool()> condition, std::function<void()> action) {
        auto look = [this, condition = std::move(condition), action = std::move(action)] {
            condition() ? action() : once(condition, action);
        };
        boost::asio::post(loop, std::move(look));
    }
    /// True where it comes true within ten seconds.
    bool comes(const std::function<bool()>& condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        loop.restart();
        while (!condition() && std::chrono::steady_clock::now() < end) loop.run_one_until(end);
        return condition();
    }
};
