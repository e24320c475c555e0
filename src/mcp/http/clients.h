#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mcp {

/// What each client uses of an HTTP server, so that one cannot use up what is for all: how often it asks, how
/// many of its requests are being answered, and how many bytes they have. Bounds hold for each client first,
/// and then for all. Pure; on the loop's thread.
///
/// A client goes by names, and each name has bounds of its own: its session, or where it has none, its
/// connection and the address that it comes from.
class HttpClients {
public:
    using Clock = std::chrono::steady_clock;
    using Names = std::vector<std::string>;

    /// Of all together. A client may have half of the rate, and three quarters of the rest.
    struct Limits {
        double requests_per_second = 200;
        double request_burst = 1000;
        std::size_t most_posts = 256;
        std::size_t most_body_bytes = 64 << 20;
    };
    enum class Verdict {
        fine,
        too_much,        ///< This client has its share.
        too_much_of_all, ///< All together have what there is.
    };

    explicit HttpClients(Limits limits);
    ~HttpClients();
    HttpClients(const HttpClients&) = delete;
    HttpClients& operator=(const HttpClients&) = delete;

    /// A request comes. Where all together ask too often, a client that was known before is still served, at
    /// a tenth of the rate.
    Verdict ask(const Names& client, Clock::time_point now);

private:
    struct State;

public:
    /// What a client has in use, for as long as this lives. May outlive the HttpClients.
    class Use {
    public:
        Use() = default;
        Use(std::shared_ptr<State> state, Names client, std::size_t posts, std::size_t bytes)
            : state_(std::move(state)), client_(std::move(client)), posts_(posts), bytes_(bytes) {}
        Use(Use&& other) noexcept;
        Use& operator=(Use&& other) noexcept;
        ~Use() { give_back(); }

    private:
        void give_back() noexcept;
        std::shared_ptr<State> state_{};
        Names client_{};
        std::size_t posts_ = 0;
        std::size_t bytes_ = 0;
    };

    /// Whether a client may have more in use, requests or bytes. Where all together have what there is, one
    /// that has no request at work may still have one, and a thousandth of the bytes is always allowed: so
    /// pings and the like come through.
    Verdict allows(const Names& client, std::size_t posts, std::size_t bytes) const;
    Use take(Names client, std::size_t posts, std::size_t bytes, Clock::time_point now);

    std::size_t known() const; ///< Names that are remembered: bounded, whatever comes.

private:
    std::shared_ptr<State> state_;
};

} // namespace mcp
