#include "runtime_api/error.h"
#include "runtime_api/http_head.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    runtime_api::HttpHeadReader reader;
    bool complete = false;
    try {
        fuzz::in_pieces(fuzz::view(data, size), [&](std::string_view piece) {
            if (!complete) complete = reader.feed(piece).has_value();
        });
    } catch (const runtime_api::Error&) {
        return 0;
    }
    if (complete) fuzz::promise(std::move(reader).rest().size() <= size);
    return 0;
}
