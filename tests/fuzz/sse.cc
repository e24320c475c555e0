#include <vector>

#include "src/mcp/client/sse_parser.h"
#include "tests/fuzz/fuzz.h"

// The same bytes in any split give the same events.
static std::vector<std::string> run(std::string_view all, bool split) {
    std::vector<std::string> events;
    mcp::SseParser parser(4096);
    const auto sink = [&](mcp::SseParser::Event event) {
        events.push_back(event.type + '\0' + event.data + (event.oversized ? "!" : ""));
    };
    if (split)
        fuzz::in_pieces(all, [&](std::string_view piece) { parser.feed(piece, sink); });
    else
        parser.feed(all, sink);
    return events;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::promise(run(fuzz::view(data, size), false) == run(fuzz::view(data, size), true));
    return 0;
}
