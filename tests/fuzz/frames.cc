#include "runtime_api/stream_demux.h"
#include "tests/fuzz/fuzz.h"

// Attach frames: the same bytes in any split give the same output, or the same refusal.
static bool run(std::string_view all, bool split, std::string& out, std::string& err) {
    runtime_api::StreamDemux demux;
    const auto sink = [&](runtime_api::AttachStream::Stream stream, std::string_view piece) {
        (stream == runtime_api::AttachStream::Stream::err ? err : out).append(piece);
    };
    try {
        if (split)
            fuzz::in_pieces(all, [&](std::string_view piece) { demux.feed(piece, sink); });
        else
            demux.feed(all, sink);
    } catch (const runtime_api::Error&) {
        return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string out_whole, err_whole, out_split, err_split;
    const bool whole = run(fuzz::view(data, size), false, out_whole, err_whole);
    const bool split = run(fuzz::view(data, size), true, out_split, err_split);
    fuzz::promise(whole == split && out_whole == out_split && err_whole == err_split);
    return 0;
}
