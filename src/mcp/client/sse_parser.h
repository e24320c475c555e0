#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// Reads a stream of server-sent events (text/event-stream), bounded, in whatever pieces it comes. Pure.
class SseParser {
public:
    struct Event {
        std::string type; ///< "message" where the server said none.
        std::string data; ///< Lines joined by \n. Of an oversized event: empty.
        bool oversized = false;
    };
    using Sink = std::function<void(Event)>;

    /// most: bytes of an event; a longer one is thrown away as it comes and reported as oversized.
    explicit SseParser(std::size_t most) : most_(most) {}

    /// Calls the sink for each event that the bytes complete. One that the stream's end cuts off is no event.
    void feed(std::string_view bytes, const Sink& sink);

    /// What the server last called an event, for Last-Event-ID; empty: nothing.
    const std::string& last_id() const { return last_id_; }
    /// How long it asked to wait before connecting again.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
    void append(std::string_view part);
    void end_line(const Sink& sink);
    void field(std::string_view name, std::string_view value);
    void take_data(std::string_view value);
    void dispatch(const Sink& sink);

    std::size_t most_;
    std::string line_;
    std::string type_;
    std::string data_;
    bool has_data_ = false;
    bool oversized_ = false;    ///< Of the event so far.
    bool skip_newline_ = false; ///< The last byte was \r: a \n that follows belongs to it.
    bool at_start_ = true;      ///< Of the stream: a byte order mark may come.
    std::string last_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

} // namespace mcp
