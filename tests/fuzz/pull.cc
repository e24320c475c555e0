#include "runtime_api/error.h"
#include "runtime_api/image_name.h"
#include "runtime_api/pull_progress.h"
#include "src/base/json.h"
#include "tests/fuzz/fuzz.h"

// Progress is one printable line, whatever the registry or the engine said.
static void run(runtime_api::Dialect dialect, std::string_view text) {
    const auto sink = [](const runtime_api::PullProgress& progress) {
        fuzz::promise(progress.status.find_first_of("\n\r\x1B") == std::string::npos);
    };
    runtime_api::PullReader reader(dialect, sink);
    try {
        fuzz::in_pieces(text, [&](std::string_view piece) { reader.feed(piece); });
        reader.finish("pull");
    } catch (const runtime_api::Error&) {
    } catch (const json::Error&) {
    }
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    run(runtime_api::Dialect::libpod, fuzz::view(data, size));
    run(runtime_api::Dialect::docker, fuzz::view(data, size));
    runtime_api::split_reference(std::string(fuzz::view(data, size)));
    return 0;
}
