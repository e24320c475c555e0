// Peer: what the other side asks of us.
#include "tests/unit/jsonrpc_talk.h"

namespace code = jsonrpc::code;

namespace {

int error_code(const std::string& line) {
    return jsonrpc::read_error(jsonrpc::Message::parse(line).error()).code();
}

} // namespace

TEST_CASE("Peer: answers a request by its id, in the id's own form") {
    PeerTalk talk;
    talk.give(request("1", "echo", R"({"a":1})"));
    CHECK(talk.take_one() == result("1", R"({"a":1})"));
    talk.give(request("\"1\"", "echo", "[2]"));
    CHECK(talk.take_one() == result("\"1\"", "[2]"));
    talk.give(request("-9223372036854775808", "echo"));
    CHECK(talk.take_one() == result("-9223372036854775808", "{}"));
    talk.give(R"({"jsonrpc":"2.0","method":"note","params":{"n":1}})");
    CHECK(talk.take().empty());
    CHECK(talk.notifications == std::vector<std::string>{R"(note{"n":1})"});
}

TEST_CASE("Peer: what a handler throws becomes the error answer") {
    PeerTalk talk;
    talk.give(request("1", "error"));
    const jsonrpc::Error told = jsonrpc::read_error(jsonrpc::Message::parse(talk.take_one()).error());
    CHECK(told.code() == 42);
    CHECK(std::string(told.what()) == "no");
    CHECK(told.data() == R"({"why":1})");
    talk.give(request("2", "json_error"));
    CHECK(error_code(talk.take_one()) == code::invalid_params);
    talk.give(request("3", "other_error"));
    CHECK(error_code(talk.take_one()) == code::internal_error);
}

TEST_CASE("Peer: requests run together, and each is answered when it is done") {
    PeerTalk talk;
    for (const char* id : {"1", "2", "\"1\""})
        talk.give(request(id, "wait", "{\"gate\":" + std::string(id) + "}"));
    CHECK(talk.peer->in_flight() == 3);
    CHECK(talk.take().empty());
    talk.open(R"({"gate":2})");
    CHECK(talk.take_one() == result("2", R"({"gate":2})"));
    talk.open(R"({"gate":"1"})");
    CHECK(talk.take_one() == result("\"1\"", R"({"gate":"1"})"));
    talk.open(R"({"gate":1})");
    CHECK(talk.take_one() == result("1", R"({"gate":1})"));
    CHECK(talk.peer->in_flight() == 0);
}

TEST_CASE("Peer: at most so many requests at once; the next is refused, and room is made by an end") {
    PeerTalk talk({.most_in_flight = 2});
    talk.give(request("1", "wait", "[1]"));
    talk.give(request("2", "wait", "[2]"));
    talk.give(request("3", "echo"));
    CHECK(error_code(talk.take_one()) == code::internal_error);
    talk.open("[1]");
    talk.take();
    talk.give(request("3", "echo"));
    CHECK(talk.take_one() == result("3", "{}"));
}

TEST_CASE("Peer: an id that is still running is refused, and free again afterwards") {
    PeerTalk talk;
    talk.give(request("1", "wait", "[1]"));
    talk.give(request("1", "echo"));
    CHECK(error_code(talk.take_one()) == code::invalid_request);
    CHECK(talk.peer->in_flight() == 1);
    talk.open("[1]");
    CHECK(talk.take_one() == result("1", "[1]"));
    talk.give(request("1", "echo"));
    CHECK(talk.take_one() == result("1", "{}"));
}

TEST_CASE("Peer: a cancelled request unwinds and is not answered") {
    PeerTalk talk;
    talk.give(request("1", "wait", "[1]"));
    talk.give(request("\"1\"", "wait", "[2]"));
    CHECK(talk.peer->cancel("1"));
    talk.settle();
    CHECK(talk.unwound == 1);
    CHECK(talk.peer->in_flight() == 1);
    CHECK_FALSE(talk.peer->cancel("1"));
    CHECK_FALSE(talk.peer->cancel("7"));
    talk.open("[1]");
    talk.open("[2]");
    CHECK(talk.take_one() == result("\"1\"", "[2]"));
}

TEST_CASE("Peer: a request that is given up unwinds and is answered") {
    PeerTalk talk;
    talk.give(request("1", "wait", "[1]"));
    CHECK(talk.peer->give_up("1"));
    talk.settle();
    CHECK(talk.unwound == 1);
    CHECK(error_code(talk.take_one()) == code::cancelled);
    CHECK_FALSE(talk.peer->give_up("1"));
}

TEST_CASE(
    "Peer: a request that cannot be read is answered by the id at its beginning where that is asked for") {
    PeerTalk talk({.answer_bad_requests = true});
    talk.give(R"({"jsonrpc":"2.0","id":7,"method":"echo","params":{"a":1},"method":"note"})");
    const std::string answer = talk.take_one();
    CHECK(answer.starts_with(R"({"jsonrpc":"2.0","id":7,"error":)"));
    talk.give(R"({"jsonrpc":"2.0","id":7,"result":{"a":1},"id":8})");
    talk.give("garbage");
    CHECK(talk.take().empty());
}

TEST_CASE("Peer: cancel_all and drained_within") {
    PeerTalk talk;
    talk.give(request("1", "wait", "[1]"));
    talk.give(request("2", "wait", "[2]"));
    std::optional<bool> soon, later;
    boost::asio::co_spawn(talk.loop, talk.peer->drained_within(std::chrono::milliseconds(0)),
                          [&](std::exception_ptr, bool all) { soon = all; });
    boost::asio::co_spawn(talk.loop, talk.peer->drained_within(std::chrono::hours(1)),
                          [&](std::exception_ptr, bool all) { later = all; });
    talk.loop.restart();
    while (!soon) talk.loop.run_one();
    CHECK(soon == false);
    CHECK_FALSE(later.has_value());
    talk.peer->cancel_all();
    talk.settle();
    CHECK(talk.unwound == 2);
    CHECK(later == true);
    CHECK(talk.take().empty());
}

TEST_CASE("Peer: a line that is no message is told to the other side only where that is asked for") {
    for (const bool tells : {true, false}) {
        PeerTalk talk({.answer_bad_lines = tells});
        talk.give("banner of a server");
        talk.give(R"({"jsonrpc":"2.0","id":5,"method":7})");
        talk.give("[]");
        talk.give(request("1", "echo"));
        CHECK(talk.bad_lines.size() == 3);
        const auto lines = talk.take();
        REQUIRE(lines.size() == (tells ? 4 : 1));
        CHECK(lines.back() == result("1", "{}"));
        if (!tells) continue;
        CHECK(error_code(lines[0]) == code::parse_error);
        CHECK(lines[0].find("\"id\"") == std::string::npos);
        CHECK(error_code(lines[1]) == code::invalid_request);
        CHECK(jsonrpc::Message::parse(lines[1]).id() == "5");
        CHECK(error_code(lines[2]) == code::invalid_request);
    }
}

TEST_CASE("Peer: a request that is too large is refused by its id, and the conversation goes on") {
    PeerTalk talk({.answer_bad_lines = true});
    talk.channel.give({.text = R"({"jsonrpc":"2.0","id":7,"method":"echo","params":{"x":"xxx)",
                       .oversized = true,
                       .size = 20 << 20,
                       .tail = R"(xxx"}})"});
    talk.settle();
    const std::string refused = talk.take_one();
    CHECK(error_code(refused) == code::invalid_request);
    CHECK(jsonrpc::Message::parse(refused).id() == "7");
    CHECK(refused.find(std::to_string(20 << 20)) != std::string::npos);
    talk.give(request("8", "echo"));
    CHECK(talk.take_one() == result("8", "{}"));
}

TEST_CASE("Peer: a batch is answered as one, when the last is there") {
    PeerTalk talk({.batches = true, .answer_bad_lines = true});
    talk.give('[' + request("1", "wait", "[1]") + R"(,{"jsonrpc":"2.0","method":"note"},7,)" +
              request("2", "echo") + ']');
    CHECK(talk.take().empty());
    CHECK(talk.notifications.size() == 1);
    talk.open("[1]");
    const std::string line = talk.take_one();
    json::check(line);
    const auto answers = json::elements(line);
    REQUIRE(answers.size() == 3);
    CHECK(error_code(std::string(answers[0])) == code::invalid_request);
    CHECK(answers[1] == result("2", "{}"));
    CHECK(answers[2] == result("1", "[1]"));
}

TEST_CASE("Peer: batches of notifications, of nothing, of too many, and with one cancelled") {
    PeerTalk talk({.batches = true, .answer_bad_lines = true});
    talk.give(R"([{"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","method":"note"}])");
    CHECK(talk.take().empty());
    talk.give("[]");
    CHECK(error_code(talk.take_one()) == code::invalid_request);
    std::string many = "[" + request("0", "echo");
    for (int i = 1; i <= 100; ++i) many += ',' + request(std::to_string(i), "echo");
    talk.give(many + ']');
    CHECK(error_code(talk.take_one()) == code::invalid_request);
    talk.give('[' + request("1", "wait", "[1]") + ',' + request("2", "echo") + ']');
    talk.peer->cancel("1");
    talk.settle();
    CHECK(talk.take_one() == '[' + result("2", "{}") + ']');
    talk.give('[' + request("1", "wait", "[1]") + ']');
    talk.peer->cancel("1");
    talk.settle();
    CHECK(talk.take().empty());
}

TEST_CASE("Peer: the answers of a batch that would be too long together come as several arrays") {
    PeerTalk talk({.batches = true, .most_batch_bytes = 200});
    std::string batch = "[" + request("0", "echo", "[\"" + std::string(80, 'x') + "\"]");
    for (int i = 1; i < 6; ++i)
        batch += ',' + request(std::to_string(i), "echo", "[\"" + std::string(80, 'x') + "\"]");
    talk.give(batch + ']');
    std::size_t answers = 0;
    const auto lines = talk.take();
    CHECK(lines.size() > 1);
    for (const std::string& line : lines) {
        json::check(line);
        CHECK(line.size() <= 202);
        answers += json::elements(line).size();
    }
    CHECK(answers == 6);
}

TEST_CASE("Peer: its end cancels what runs, and nothing is written after it") {
    PeerTalk talk;
    talk.give(request("1", "wait", "[1]"));
    talk.peer = std::make_unique<jsonrpc::Peer>(
        talk.loop.get_executor(), talk.channel, jsonrpc::Peer::Options(),
        [&](jsonrpc::Message m) { return PeerTalk::answer(&talk, std::move(m)); },
        [](const jsonrpc::Message&) {});
    talk.settle();
    CHECK(talk.unwound == 1);
    CHECK(talk.take().empty());
    talk.peer->receive(request("2", "echo"));
    talk.settle();
    CHECK(talk.take_one() == result("2", "{}"));
}
