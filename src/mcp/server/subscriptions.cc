#include "src/mcp/server/subscriptions.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "src/base/json.h"
#include "src/jsonrpc/message.h"
#include "src/mcp/request_meta.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

bool declared(const json::Reader& capabilities, std::string_view feature, std::string_view flag) {
    const auto object = capabilities.find(feature);
    bool value = false;
    return object && object->is_object() && object->read_optional(flag, value) && value;
}

std::string subscription_meta(const std::string& id) {
    json::Writer w;
    return w.object().raw_field(meta_key::subscription_id, id).end().take();
}

} // namespace

struct Subscriptions::Open {
    Open(const asio::any_io_executor& executor, std::set<Open*>& all)
        : end(executor, asio::steady_timer::time_point::max()), all_(all) {
        all_.insert(this);
    }
    ~Open() { all_.erase(this); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    std::string id{};
    Notify notify{};
    std::set<std::string> methods{};
    std::set<std::string> uris{};
    asio::steady_timer end; // never expires: cancel() is the signal of close_all

private:
    std::set<Open*>& all_;
};

Subscriptions::Subscriptions(asio::any_io_executor executor, std::string capabilities)
    : executor_(std::move(executor)) {
    const json::Document document(capabilities);
    const json::Reader root = document.root("capabilities");
    tools_ = declared(root, "tools", "listChanged");
    prompts_ = declared(root, "prompts", "listChanged");
    resources_ = declared(root, "resources", "listChanged");
    updates_ = declared(root, "resources", "subscribe");
}

Subscriptions::~Subscriptions() = default;

std::string Subscriptions::honoured(const std::string& filter, Open& open) const {
    const json::Document document(filter);
    const json::Reader root = document.root("params.notifications");
    json::Writer w;
    w.object();
    const auto take = [&](bool offered, std::string_view name, const char* method) {
        bool asked = false;
        root.read_optional(name, asked);
        if (!offered || !asked) return;
        open.methods.insert(method);
        w.field(name, true);
    };
    take(tools_, "toolsListChanged", "notifications/tools/list_changed");
    take(prompts_, "promptsListChanged", "notifications/prompts/list_changed");
    take(resources_, "resourcesListChanged", "notifications/resources/list_changed");
    std::vector<std::string> uris;
    if (root.read_optional("resourceSubscriptions", uris) && updates_) {
        open.uris.insert(uris.begin(), uris.end());
        w.field("resourceSubscriptions", uris);
    }
    return w.end().take();
}

asio::awaitable<std::string> Subscriptions::listen(std::string id, std::string filter, Notify notify) {
    const auto self = shared_from_this();
    if (json::kind(filter) != json::Kind::object)
        throw jsonrpc::Error(jsonrpc::code::invalid_params, "params: \"notifications\" must be an object");
    if (open_.size() >= most_open)
        throw jsonrpc::Error(jsonrpc::code::internal_error, "too many subscriptions are open");
    Open open(executor_, open_);
    open.id = id;
    const std::string granted = honoured(filter, open);
    open.notify = std::move(notify);
    json::Writer w;
    w.object().raw_field("_meta", subscription_meta(id)).raw_field("notifications", granted).end();
    open.notify("notifications/subscriptions/acknowledged", w.take());
    boost::system::error_code ignored; // lasts as long as the client wants it to
    if (!closed_) co_await open.end.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    json::Writer result;
    co_return result.object().raw_field("_meta", subscription_meta(id)).end().take();
}

void Subscriptions::publish(std::string_view method, std::string_view uri) {
    for (Open* open : open_) {
        const bool wanted =
            uri.empty() ? open->methods.contains(std::string(method)) : open->uris.contains(std::string(uri));
        if (!wanted) continue;
        json::Writer w;
        w.object().raw_field("_meta", subscription_meta(open->id));
        if (!uri.empty()) w.field("uri", uri);
        open->notify(std::string(method), w.end().take());
    }
}

void Subscriptions::close_all() {
    closed_ = true;
    for (Open* open : open_) open->end.cancel();
}

} // namespace mcp
