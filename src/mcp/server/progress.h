#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// The progress of one request, as notifications/progress wants it: values rise, not too many of them, none
/// after the end.
class ProgressTrack {
public:
    using Clock = std::chrono::steady_clock;

    /// token: JSON text; empty where the client did not ask for progress.
    explicit ProgressTrack(std::string token) : token_(std::move(token)) {}

    bool wanted() const { return !token_.empty() && !ended_; }

    /// The params of the notification to send, or nullopt where none is due: not asked for, ended, or within
    /// `gap` of the last. A value that does not rise is made to; one that is no number counts as not risen.
    /// The message is cut to a kilobyte.
    std::optional<std::string> next(double done, std::optional<double> total, std::string_view message,
                                    Clock::time_point now);

    /// The request is answered or cancelled: nothing more may be sent.
    void end() { ended_ = true; }
    bool ended() const { return ended_; }

    static constexpr std::chrono::milliseconds gap{20};

private:
    std::string token_;
    bool ended_ = false;
    std::optional<double> last_{};
    Clock::time_point last_time_{};
};

} // namespace mcp
