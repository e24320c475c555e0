#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fake_server.h"
#include "run.h"
#include "runtime_api/curl_http.h"
#include "runtime_api/error.h"

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime_api::AttachStream;
using runtime_api::CurlHttp;
using runtime_api::Errc;
using runtime_api::Error;
using runtime_api::HttpRequest;
using Stream = AttachStream::Stream;

namespace {

const std::string head = "HTTP/1.1 101 UPGRADED\r\nContent-Type: "
                         "application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

std::string frame(char type, const std::string& payload) {
    std::string out{type, 0, 0, 0};
    for (const int shift : {24, 16, 8, 0})
        out += static_cast<char>(payload.size() >> static_cast<unsigned>(shift) & 255U);
    return out + payload;
}

HttpRequest attach_request() {
    HttpRequest request;
    request.method = "POST";
    request.target = "/containers/x/attach?stream=1";
    return request;
}

asio::awaitable<bool> written(AttachStream& stream, std::string data) {
    co_await stream.write(std::move(data));
    co_return true;
}

struct Fixture {
    asio::io_context loop{1};
    FakeServer server;
    CurlHttp http;

    explicit Fixture(std::vector<std::string> pieces, bool hold = false, bool read_on = true)
        : server(loop, FakeServer::Plan{std::move(pieces), hold, read_on}),
          http(loop.get_executor(), server.endpoint(), 5s) {}

    runtime_api::Upgraded upgrade(HttpRequest request = attach_request()) {
        return run(loop, http.upgrade(std::move(request)));
    }

    Errc refusal(HttpRequest request = attach_request()) {
        try {
            upgrade(std::move(request));
        } catch (const Error& e) {
            return e.code();
        }
        FAIL("no error");
        return Errc::cancelled;
    }

    /// Reads until the end of the stream.
    void read_all(AttachStream& stream, std::string& out, std::string& err) {
        for (;;) {
            const AttachStream::Piece piece = run(loop, stream.read());
            if (piece.data.empty()) return;
            largest = std::max(largest, piece.data.size());
            (piece.stream == Stream::err ? err : out) += piece.data;
        }
    }

    template <class Holds> bool eventually(Holds holds) {
        loop.restart();
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!holds() && std::chrono::steady_clock::now() < end) loop.run_one_for(100ms);
        return holds();
    }

    std::size_t largest = 0;
};

} // namespace

TEST_CASE("attach: head and frames in any split; bytes that came with the head are kept") {
    const std::string wire = head + frame(1, "hello") + frame(2, "err") + frame(1, " again");
    for (std::size_t step = 1; step <= wire.size(); step += step < 20 ? 1 : 7) {
        CAPTURE(step);
        std::vector<std::string> pieces;
        for (std::size_t i = 0; i < wire.size(); i += step) pieces.push_back(wire.substr(i, step));
        Fixture f(pieces);
        const runtime_api::Upgraded upgraded = f.upgrade();
        CHECK(upgraded.answer.status == 101);
        REQUIRE(upgraded.stream);
        std::string out;
        std::string err;
        f.read_all(*upgraded.stream, out, err);
        CHECK(out == "hello again");
        CHECK(err == "err");
        CHECK(run(f.loop, upgraded.stream->read()).data.empty()); // and so for ever after
    }
}

TEST_CASE("attach: the request asks for an upgrade and nothing of stdin comes before the answer") {
    Fixture f({head}, true);
    const runtime_api::Upgraded upgraded = f.upgrade();
    CHECK(run(f.loop, written(*upgraded.stream, "in")));
    CHECK(f.eventually([&] { return f.server.seen().after == "in"; }));
    const std::string& request = f.server.seen().requests.at(0);
    CHECK(request == "POST /containers/x/attach?stream=1 HTTP/1.1\r\nHost: localhost\r\nConnection: "
                     "Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("attach: a request that announces a stream has its connection made meanwhile, unless it fails") {
    HttpRequest create;
    create.method = "POST";
    create.stream_follows = true;
    Fixture f({"HTTP/1.1 200 OK\r\n\r\n"});
    run(f.loop, f.http.send(create));
    CHECK(f.eventually([&] { return f.server.seen().connections == 2; }));
    CHECK(f.upgrade().stream != nullptr);
    CHECK(f.server.seen().connections == 2);
    CHECK(f.server.seen().requests.back().starts_with("POST /containers/x/attach"));
    CHECK(f.upgrade().stream != nullptr); // it was for one alone
    CHECK(f.server.seen().connections == 3);

    Fixture refusing({"HTTP/1.1 404 Not Found\r\n\r\n"});
    run(refusing.loop, refusing.http.send(create));
    CHECK(refusing.upgrade().answer.status == 404);
    CHECK(refusing.server.seen().connections == 3);
}

TEST_CASE("attach: a 200 without a length is a stream too, a document is not") {
    Fixture f({"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n" + frame(1, "x")});
    const runtime_api::Upgraded upgraded = f.upgrade();
    REQUIRE(upgraded.stream);
    CHECK(run(f.loop, upgraded.stream->read()).data == "x");
    Fixture document({"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"});
    CHECK(document.refusal() == Errc::protocol);
    Fixture chunked({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"});
    CHECK(chunked.refusal() == Errc::protocol);
}

TEST_CASE(
    "attach: a refusal is given with its body, JSON on a connection that stays or text on one that ends") {
    Fixture json({"HTTP/1.1 409 Conflict\r\nContent-Length: 4\r\n\r\n", "{", "} \n and more"}, true);
    const runtime_api::Upgraded kept = json.upgrade();
    CHECK(!kept.stream);
    CHECK(kept.answer.status == 409);
    CHECK(kept.answer.body == "{} \n");
    Fixture text({"HTTP/1.1 404 Not Found\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n",
                  "No such ", "container: x\n"});
    CHECK(text.upgrade().answer.body == "No such container: x\n");
    Fixture chunked({"HTTP/1.1 500 E\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n"}, true);
    CHECK(chunked.upgrade().answer.body.find("why") != std::string::npos);
    Fixture slow({"HTTP/1.1 500 E\r\nContent-Length: 9\r\n\r\nabc"}, true);
    HttpRequest request = attach_request();
    request.limit = 500ms;
    CHECK(slow.upgrade(request).answer.body == "abc"); // half a reason is better than none
    Fixture endless({"HTTP/1.1 500 E\r\n\r\n", std::string(1 << 20, 'x')}, true);
    CHECK(endless.upgrade().answer.body.size() == 64 * 1024);
}

TEST_CASE("attach: garbage, a huge head, no answer and a closed door each have their error") {
    Fixture garbage({"SSH-2.0-x\r\n"}, true);
    CHECK(garbage.refusal() == Errc::protocol);
    Fixture huge({"HTTP/1.1 101 X\r\n", std::string(100'000, 'x')}, true);
    CHECK(huge.refusal() == Errc::too_large);
    Fixture closed({});
    CHECK(closed.refusal() == Errc::unavailable);
    Fixture half({"HTTP/1.1 101 UPGR"});
    CHECK(half.refusal() == Errc::unavailable);
    for (const char* part : {"", "HTTP/1.1 101 UPGR"}) {
        Fixture silent({part}, true);
        HttpRequest request = attach_request();
        request.limit = 500ms;
        CHECK(silent.refusal(request) == Errc::timed_out);
        CHECK(silent.eventually([&] { return silent.server.seen().closed == 1; }));
    }
}

TEST_CASE("attach: an end at a frame's border is the end, within one it is an error") {
    Fixture cut({head + frame(1, "abc").substr(0, 10)});
    const runtime_api::Upgraded upgraded = cut.upgrade();
    CHECK(run(cut.loop, upgraded.stream->read()).data == "ab");
    CHECK_THROWS_WITH_AS(run(cut.loop, upgraded.stream->read()), doctest::Contains("middle of a frame"),
                         Error);
    Fixture odd({head + "this is no frame"}, true);
    CHECK(odd.refusal() == Errc::protocol);
    Fixture later({head + frame(1, "a"), "this is no frame"}, true);
    const auto read_on = [&] {
        const runtime_api::Upgraded stream = later.upgrade();
        for (;;) run(later.loop, stream.stream->read());
    };
    CHECK_THROWS_AS(read_on(), Error);
}

TEST_CASE("attach: close wakes who reads with the end, who writes with an error, and may come twice") {
    Fixture f({head}, true, false);
    const runtime_api::Upgraded upgraded = f.upgrade();
    AttachStream& stream = *upgraded.stream;
    bool ended = false;
    Errc write_error = Errc::protocol;
    asio::co_spawn(f.loop, stream.read(), [&](std::exception_ptr e, const AttachStream::Piece& piece) {
        ended = !e && piece.data.empty();
    });
    asio::co_spawn(f.loop, stream.write(std::string(64 << 20, 'x')), [&](std::exception_ptr e) {
        try {
            if (e) std::rethrow_exception(e);
        } catch (const Error& error) {
            write_error = error.code();
        }
    });
    f.loop.restart();
    f.loop.poll(); // both wait now: nothing comes, and the server does not read
    CHECK(!ended);
    stream.close();
    stream.close();
    CHECK(f.eventually([&] { return ended && write_error == Errc::unavailable; }));
    CHECK(run(f.loop, stream.read()).data.empty());
    CHECK_THROWS_AS(run(f.loop, written(stream, "x")), Error);
}

TEST_CASE("attach: a stream may be destroyed while it is read") {
    Fixture f({head}, true);
    runtime_api::Upgraded upgraded = f.upgrade();
    bool ended = false;
    asio::co_spawn(
        f.loop, upgraded.stream->read(),
        [&](std::exception_ptr e, const AttachStream::Piece& piece) { ended = !e && piece.data.empty(); });
    f.loop.restart();
    f.loop.poll();
    upgraded.stream.reset();
    CHECK(f.eventually([&] { return ended && f.server.seen().closed == 1; }));
}

TEST_CASE("attach: a cancelled read loses nothing") {
    Fixture f({head}, true);
    const runtime_api::Upgraded upgraded = f.upgrade();
    asio::cancellation_signal signal;
    Errc code = Errc::protocol;
    asio::co_spawn(
        f.loop, upgraded.stream->read(),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e, const AttachStream::Piece&) {
            try {
                if (e) std::rethrow_exception(e);
            } catch (const Error& error) {
                code = error.code();
            }
        }));
    f.loop.restart();
    f.loop.poll();
    signal.emit(asio::cancellation_type::terminal);
    CHECK(f.eventually([&] { return code == Errc::cancelled; }));
    CHECK(run(f.loop, written(*upgraded.stream, "still there")));
    CHECK(f.eventually([&] { return f.server.seen().after == "still there"; }));
}

TEST_CASE("attach: small frames that are there already come as large pieces, up to 256 KiB") {
    std::string wire = head;
    for (int i = 0; i < 1024; ++i) wire += frame(1, std::string(8192, static_cast<char>('a' + i % 26)));
    Fixture f({wire});
    const runtime_api::Upgraded upgraded = f.upgrade();
    std::string out;
    std::string err;
    f.read_all(*upgraded.stream, out, err);
    CHECK(out.size() == 1024 * 8192);
    CHECK(out[8191] == 'a');
    CHECK(out[8192] == 'b');
    CHECK(f.largest > 8192);
    CHECK(f.largest <= 256 * 1024);
}

TEST_CASE("attach: many streams at once keep their bytes apart") {
    Fixture f({head + frame(1, "x")}, true);
    std::vector<std::unique_ptr<AttachStream>> streams;
    for (int i = 0; i < 64; ++i) streams.push_back(f.upgrade().stream);
    for (const auto& stream : streams) CHECK(run(f.loop, stream->read()).data == "x");
    for (const auto& stream : streams) CHECK(run(f.loop, written(*stream, "y")));
    CHECK(f.eventually([&] { return f.server.seen().after.size() == 64; }));
}
