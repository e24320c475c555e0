#include <optional>

#include "src/mcp/http/gate.h"
#include "src/mcp/http/parser.h"
#include "src/mcp/http/route.h"
#include "tests/fuzz/fuzz.h"

// What a client of the HTTP server sends: the same bytes in any split are the same request, or none; and what
// was read is let in and routed, or refused with a status.
struct Outcome {
    int refused = 0;
    bool done = false;
    std::string text; // of the request
    bool operator==(const Outcome&) const = default;
};

static Outcome run(std::string_view all, bool split, std::optional<mcp::HttpMessage>& message) {
    mcp::HttpParser parser(1024, 4096);
    Outcome out;
    std::string inbox;
    const auto take = [&](std::string_view piece) {
        inbox += piece;
        if (!parser.done()) inbox.erase(0, parser.feed(inbox));
    };
    try {
        if (split)
            fuzz::in_pieces(all, take);
        else
            take(all);
    } catch (const mcp::HttpRefused& refused) {
        out.refused = refused.reply().status;
        return out;
    }
    out.done = parser.done();
    if (!out.done) return out;
    message = parser.take();
    out.text = message->method + ' ' + message->target + '\n';
    for (const auto& [name, value] : message->headers) out.text += name + ": " + value + '\n';
    out.text += message->body;
    return out;
}

static void serve(const mcp::HttpMessage& message) {
    mcp::HttpGate::Options options;
    options.token = "t";
    for (const bool gated : {true, false}) try {
            if (gated)
                mcp::HttpGate(options).check(message);
            else
                (void)mcp::route_post(message);
        } catch (const mcp::HttpRefused& refused) {
            const int status = refused.reply().status;
            // the client's fault, or a way to send that we do not know
            fuzz::promise((status >= 400 && status < 500) || status == 501);
        }
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::optional<mcp::HttpMessage> whole, split;
    const Outcome one = run(fuzz::view(data, size), false, whole),
                  other = run(fuzz::view(data, size), true, split);
    fuzz::promise(one.done ==
                  other.done); // what is no request may be refused sooner or later, but never served
    fuzz::promise(!one.done || one == other);
    if (whole) serve(*whole);
    return 0;
}
