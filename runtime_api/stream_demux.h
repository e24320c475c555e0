#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime_api/attach_stream.h"
#include "runtime_api/error.h"

namespace runtime_api {

/// Splits what a container without a terminal sends over attach: frames of {stream, 0, 0, 0, size as 4
/// big-endian bytes} and size bytes. Bytes in, calls out; holds no payload, so that the size that a frame
/// claims costs nothing.
class StreamDemux {
public:
    /// Calls sink(AttachStream::Stream, std::string_view) for all payload in data, in order; one frame may
    /// arrive as several pieces. Throws Error(protocol) on a header that is none.
    template <class Sink> void feed(std::string_view data, Sink&& sink) {
        while (!data.empty()) {
            if (left_ == 0 && !take_header(data)) return;
            const std::string_view piece = data.substr(0, left_);
            data.remove_prefix(piece.size());
            left_ -= piece.size();
            if (!piece.empty()) sink(stream_, piece);
        }
    }

    /// Nothing begun and unfinished: the only place where a stream may end.
    bool at_boundary() const { return left_ == 0 && held_ == 0; }

private:
    /// Moves header bytes out of data; true when a header is complete (its frame may be empty).
    bool take_header(std::string_view& data) {
        const std::size_t n = std::min(data.size(), header_.size() - held_);
        std::copy_n(data.begin(), n, header_.begin() + static_cast<std::ptrdiff_t>(held_));
        data.remove_prefix(n);
        held_ += n;
        if (held_ < header_.size()) return false;
        held_ = 0;
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(header_[i]); };
        if (byte(0) > 3 || byte(1) != 0 || byte(2) != 0 || byte(3) != 0)
            throw Error(Errc::protocol, "the engine sent something that is not a frame of output");
        // 0 is an echo of stdin, which Docker counts as output; 3 is a message of Docker's own.
        stream_ = byte(0) >= 2 ? AttachStream::Stream::err : AttachStream::Stream::out;
        left_ =
            std::size_t{byte(4)} << 24U | std::size_t{byte(5)} << 16U | std::size_t{byte(6)} << 8U | byte(7);
        return true;
    }

    std::array<char, 8> header_{};
    std::size_t held_ = 0; ///< Bytes of header_ that are there.
    std::size_t left_ = 0; ///< Bytes of payload to come.
    AttachStream::Stream stream_ = AttachStream::Stream::out;
};

} // namespace runtime_api
