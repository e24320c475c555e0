#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace mcp {

/// The `subscriptions/listen` requests that are open. A stream that honours nothing stays open too: clients
/// open one at once, whatever we declare, and take its end for a lost connection. On the loop's thread.
class Subscriptions : public std::enable_shared_from_this<Subscriptions> {
public:
    using Notify = std::function<void(std::string method, std::string params)>;

    /// capabilities: what the server declares (JSON); of a filter only what that covers is honoured.
    Subscriptions(boost::asio::any_io_executor executor, std::string capabilities);
    ~Subscriptions();
    Subscriptions(const Subscriptions&) = delete;
    Subscriptions& operator=(const Subscriptions&) = delete;

    /// Acknowledges, then waits until the request is cancelled or close_all is called; gives the result then.
    /// id: JSON text. Throws jsonrpc::Error(invalid_params) for a filter (JSON of `notifications`) that is
    /// none, internal_error where too many are open.
    boost::asio::awaitable<std::string> listen(std::string id, std::string filter, Notify notify);

    /// Tells those who asked for it: "notifications/tools/list_changed", "…/prompts/…", "…/resources/…", or
    /// "notifications/resources/updated" with the uri.
    void publish(std::string_view method, std::string_view uri = {});

    /// Ends all, each with its result; later ones end at once.
    void close_all();

    std::size_t size() const { return open_.size(); }

    static constexpr std::size_t most_open = 256;

private:
    struct Open;
    std::string honoured(const std::string& filter, Open& open) const;

    boost::asio::any_io_executor executor_;
    bool tools_ = false;
    bool prompts_ = false;
    bool resources_ = false;
    bool updates_ = false;
    bool closed_ = false;
    std::set<Open*> open_; ///< Each lives in the frame of listen().
};

} // namespace mcp
