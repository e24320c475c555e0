#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/base/workers.h"
#include "src/jsonrpc/message.h"
#include "src/mcp/request_meta.h"
#include "src/mcp/server/session.h"

namespace mcp {

class Subscriptions;

/// One request of a client, as a method gets it. Movable.
struct Request {
    Admission served_as;
    jsonrpc::Message message; ///< Its params are a JSON object.
    RequestMeta meta;
    std::string client; ///< As in CallContext.
    std::shared_ptr<ServerSession> session;
    std::shared_ptr<Subscriptions> subscriptions;
    base::Workers* workers = nullptr; ///< For looking through large params; nullptr: none.

    /// Sends a notification that belongs to this request; after its end, nothing.
    std::function<void(std::string method, std::string params)> notify;
    /// notifications/progress by the rules of ProgressTrack.
    std::function<void(double done, std::optional<double> total, std::string message)> progress;
    /// Asks the client and gives the JSON text of its result. Legacy only; throws jsonrpc::Error, also where
    /// the era forbids it.
    std::function<boost::asio::awaitable<std::string>(std::string method, std::string params)> ask;
};

/// The methods that a server knows, by name. Filled at start, then only read; must outlive every conversation
/// that uses it.
class MethodTable {
public:
    /// Gives the JSON text of the result, without what only modern versions have. Throws jsonrpc::Error or
    /// json::Error.
    using Handler = std::function<boost::asio::awaitable<std::string>(Request)>;

    struct Method {
        bool legacy = true;
        bool modern = true;
        bool cacheable = false; ///< Modern results carry ttlMs and cacheScope.
        Handler answer{};

        bool serves(Era era) const { return era == Era::legacy ? legacy : modern; }
    };

    /// A later method of the same name takes the place of the earlier.
    void add(std::string name, Method method) {
        methods_.insert_or_assign(std::move(name), std::move(method));
    }
    /// nullptr where there is none.
    const Method* find(const std::string& name) const;

private:
    std::map<std::string, Method> methods_;
};

} // namespace mcp
