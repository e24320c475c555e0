#include <vector>

#include "src/base/json.h"
#include "src/jsonrpc/line_splitter.h"
#include "src/jsonrpc/message.h"
#include "src/sandbox/execution.h"
#include "tests/fuzz/fuzz.h"

static void take(std::string text) {
    const std::string kept = text;
    try {
        const jsonrpc::Message message = jsonrpc::Message::parse(std::move(text));
        if (message.kind() == jsonrpc::Message::Kind::error) jsonrpc::read_error(message.error());
        if (message.kind() == jsonrpc::Message::Kind::request)
            json::check(jsonrpc::result_line(message.id(), message.params()));
        if (message.kind() == jsonrpc::Message::Kind::result) sandbox::read_outcome(message.result());
    } catch (const jsonrpc::Error&) {
    } catch (const json::Error&) {
    }
    json::check(jsonrpc::id_of(kept));
    try {
        jsonrpc::Lenience lenience;
        lenience.lists_tools = kept.size() % 2 == 0;
        const jsonrpc::Message message = jsonrpc::Message::parse_leniently(kept, lenience);
        if (message.kind() == jsonrpc::Message::Kind::error) jsonrpc::read_error(message.error());
        if (message.kind() == jsonrpc::Message::Kind::result) message.python_result();
    } catch (const jsonrpc::Error&) {
    }
    try {
        if (jsonrpc::is_batch(kept)) jsonrpc::split_batch(kept, 100);
    } catch (const jsonrpc::Error&) {
    }
}

// The same bytes in any split give the same lines.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all = fuzz::view(data, size);
    jsonrpc::LineSplitter whole(4096), pieces(4096);
    whole.feed(all);
    whole.finish();
    fuzz::in_pieces(all, [&](std::string_view piece) { pieces.feed(piece); });
    pieces.finish();
    while (auto line = whole.next()) {
        const auto other = pieces.next();
        fuzz::promise(other && other->text == line->text && other->oversized == line->oversized &&
                      other->size == line->size);
        if (!line->oversized) take(std::move(line->text));
    }
    fuzz::promise(!pieces.next());
    return 0;
}
