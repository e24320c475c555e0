// Peer: what we ask of the other side.
#include "tests/unit/jsonrpc_talk.h"

namespace code = jsonrpc::code;

TEST_CASE("Peer: calls wait together, and each gets its own answer") {
    PeerTalk talk;
    const auto first = talk.call("a"), second = talk.call("b"), third = talk.call("c");
    const auto lines = talk.take();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == R"({"jsonrpc":"2.0","id":1,"method":"a","params":{}})");
    CHECK(talk.peer->pending() == 3);
    talk.give(result("3", "[3]"));
    talk.give(result("\"1\"", "[1]")); // some echo a number as a string
    talk.give(R"({"jsonrpc":"2.0","id":2,"error":{"code":-5,"message":"no","data":{"x":1}}})");
    CHECK(third->result == "[3]");
    CHECK(first->result == "[1]");
    REQUIRE(second->error.has_value());
    CHECK(second->error->code() == -5);
    CHECK(std::string(second->error->what()) == "no");
    CHECK(second->error->data() == R"({"x":1})");
    CHECK(talk.peer->pending() == 0);
    CHECK(talk.abandoned.empty());
}

TEST_CASE("Peer: an answer to nothing that was asked is noted and harms nobody") {
    PeerTalk talk;
    const auto call = talk.call("a");
    for (const char* id : {"99", "\"x\"", "\"\"", "99999999999999999999"}) talk.give(result(id, "1"));
    CHECK(talk.bad_lines.size() == 4);
    talk.give(result("1", "[1]"));
    CHECK(call->result == "[1]");
    talk.give(result("1", "[2]"));
    CHECK(talk.bad_lines.size() == 5);
}

TEST_CASE(
    "Peer: a call that gets no answer in time says so, and the other side's work is known to be abandoned") {
    PeerTalk talk({.name = "the server"});
    const auto call = talk.call("slow", std::chrono::milliseconds(1));
    talk.loop.restart();
    while (!call->error) talk.loop.run_one();
    CHECK(call->error->code() == code::timed_out);
    CHECK(std::string(call->error->what()).find("the server did not answer slow") == 0);
    CHECK(talk.abandoned == std::vector<std::string>{"1"});
    talk.give(result("1", "late"));
    CHECK(talk.bad_lines.size() == 1);
}

TEST_CASE("Peer: a cancelled call ends at once and is abandoned; others go on") {
    PeerTalk talk;
    const auto call = talk.call("a"), other = talk.call("b");
    call->cancel.emit(boost::asio::cancellation_type::terminal);
    talk.settle();
    REQUIRE(call->error.has_value());
    CHECK(call->error->code() == code::cancelled);
    CHECK(talk.abandoned == std::vector<std::string>{"1"});
    talk.give(result("2", "[2]"));
    CHECK(other->result == "[2]");
}

TEST_CASE("Peer: an answer that is too large fails its own call alone, wherever its id stands") {
    for (const bool id_first : {true, false}) {
        PeerTalk talk;
        const auto big = talk.call("big"), other = talk.call("other");
        jsonrpc::LineSplitter::Line line{.text = "", .oversized = true, .size = 100 << 20};
        line.text = id_first ? R"({"jsonrpc":"2.0","id":1,"result":{"id":2,"x":"xxx)"
                             : R"({"result":{"id":2,"x":"xxx)";
        line.tail = id_first ? R"(xxx","id":2}})" : R"(xxx","id":2},"id": 1,"jsonrpc":"2.0"})";
        talk.channel.give(std::move(line));
        talk.settle();
        CAPTURE(id_first);
        REQUIRE(big->error.has_value());
        CHECK(big->error->code() == code::too_large);
        CHECK(std::string(big->error->what()).find(std::to_string(100 << 20)) != std::string::npos);
        CHECK_FALSE(other->error.has_value());
        talk.give(result("2", "[2]"));
        CHECK(other->result == "[2]");
    }
}

TEST_CASE("Peer: a line too large that names no call of ours is noted only") {
    PeerTalk talk;
    const auto call = talk.call("a");
    for (const char* head : {"xxxx", R"({"result":{"id":1)", R"({"id":77,"result")", R"({"x":[{"id":1)"}) {
        talk.channel.give(
            {.text = head, .oversized = true, .size = 100 << 20, .tail = R"("nested":{"id":1}}})"});
        talk.settle();
    }
    CHECK(talk.bad_lines.size() == 4);
    CHECK_FALSE(call->error.has_value());
    CHECK(talk.take().size() == 1);
}

TEST_CASE("Peer: the channel's end fails all calls with its reason, and later ones at once") {
    PeerTalk talk({.name = "the server"});
    const auto first = talk.call("a"), second = talk.call("b");
    talk.channel.end("exited with status 3");
    talk.settle();
    for (const auto& call : {first, second}) {
        REQUIRE(call->error.has_value());
        CHECK(call->error->code() == code::connection_closed);
        CHECK(std::string(call->error->what()) == "the server closed the connection: exited with status 3");
    }
    CHECK(talk.ended);
    CHECK(talk.peer->closed());
    CHECK(talk.abandoned.empty());
    const auto late = talk.call("c");
    REQUIRE(late->error.has_value());
    CHECK(late->error->code() == code::connection_closed);
}

TEST_CASE("Peer: of calls that fail by the channel's end those are told apart of which nothing was read") {
    for (const int more : {-1, 0, 1}) {
        CAPTURE(more);
        PeerTalk talk;
        const auto first = talk.call("a"), second = talk.call("b"), third = talk.call("c");
        const std::uint64_t begin = talk.channel.written[0].size() + 1; // of the second
        talk.channel.read_to = begin + static_cast<std::uint64_t>(1 + more) - 1;
        talk.channel.end("gone");
        talk.settle();
        CHECK_FALSE(first->not_received);
        CHECK(second->not_received == (more <= 0)); // one byte of it is enough
        CHECK(third->not_received);
        CHECK(third->error->code() == code::connection_closed);
        CHECK(talk.call("d")->not_received); // never sent
    }
    PeerTalk unknown;
    const auto call = unknown.call("a");
    unknown.channel.end("gone");
    unknown.settle();
    CHECK(call->error.has_value());
    CHECK_FALSE(call->not_received);
}

TEST_CASE("Peer: an answer that comes right before the end is an answer") {
    PeerTalk talk;
    const auto call = talk.call("a");
    talk.channel.read_to = 0;
    talk.channel.give({.text = result("1", "5"), .size = 1});
    talk.channel.end("gone");
    talk.settle();
    CHECK(call->result == "5");
}

TEST_CASE("Peer: at most so many calls wait; the next fails at once") {
    PeerTalk talk({.most_pending = 2});
    const auto first = talk.call("a"), second = talk.call("b"), third = talk.call("c");
    REQUIRE(third->error.has_value());
    CHECK(third->error->code() == code::internal_error);
    CHECK(talk.take().size() == 2);
    talk.give(result("1", "1"));
    CHECK(first->result == "1");
    const auto fourth = talk.call("d");
    talk.give(result("3", "4"));
    CHECK(fourth->result == "4");
}

TEST_CASE("Peer: two of them on one conversation do not share ids") {
    PeerTalk talk({.first_id = 1000});
    const auto call = talk.call("a");
    CHECK(jsonrpc::Message::parse(talk.take_one()).id() == "1000");
    talk.peer->receive(result("1000", "[1]"));
    talk.settle();
    CHECK(call->result == "[1]");
    talk.peer->notify("note", "{}");
    CHECK(talk.take_one() == R"({"jsonrpc":"2.0","method":"note","params":{}})");
}
