#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/bridge/catalogue.h"
#include "src/bridge/policy.h"
#include "src/bridge/saved_tools.h"
#include "src/bridge/schema_check.h"
#include "src/bridge/tool_index.h"

namespace bridge {

/// What all runs share of the host's side: the servers, the index over their tools, the saved functions.
/// Outlives all runs.
struct Shelf {
    Catalogue& catalogue;
    SchemaCheck& schemas;
    ToolIndex& index;
    SavedTools* saved = nullptr;                   ///< Null: turned off.
    std::function<std::string()> image_contents{}; ///< What the image says is in it; may be empty.
    std::uint64_t indexed = 0; ///< The catalogue's generation that the index was made from.
};

/// An error that code sees as an exception: `kind` is one of src/guest/README.md. `structured`: JSON text of
/// what an upstream server said beside its message, or empty.
jsonrpc::Error guest_error(const std::string& kind, const std::string& message,
                           const std::string& structured = {});

/// The methods that code in a run can call on its host, each bounded and through the run's policy. One object
/// a run.
class GuestMethods {
public:
    /// `clock`: called with true when an upstream server is being started for this run, with false when that
    /// is over, and likewise while a person is asked; must be callable as long as this lives. `progress`:
    /// called with what an upstream server says of a call's progress, as a line; empty where nobody wants to
    /// know. `asker`: whom the servers may ask.
    GuestMethods(Shelf& shelf, Policy policy, std::function<void(bool)> clock,
                 std::function<void(std::string)> progress = {}, mcp::Asker asker = {});

    /// The JSON text of the method's result. Throws jsonrpc::Error (guest_error), json::Error.
    boost::asio::awaitable<std::string> answer(jsonrpc::Message message);

    /// The servers that were called, by name.
    const std::set<std::string>& called() const { return called_; }

    /// What was odd with their results, a line a tool.
    std::vector<std::string> notes() const;

    /// `execute`'s servers: [{name, alias, description}].
    std::string servers_json() const;

private:
    boost::asio::awaitable<std::string> servers();
    boost::asio::awaitable<std::string> list_tools(std::string params);
    boost::asio::awaitable<std::string> call_tool(jsonrpc::Message message);
    boost::asio::awaitable<std::string> query_tool_docs(std::string params);
    boost::asio::awaitable<std::string> search_tool_docs(std::string params);
    std::string saved(const std::string& method, const std::string& params);

    std::string allowed_server(const std::string& name_or_alias) const;
    boost::asio::awaitable<Catalogue::Tools> tools_of(std::string server);
    std::function<void(double, std::optional<double>, std::string)> progress_of(std::string tool) const;
    mcp::Asker asker() const;
    bool may_ask() const { return asker_.ask != nullptr; }
    boost::asio::awaitable<void> start_all();
    void refresh_index();

    Shelf& shelf_;
    Policy policy_;
    std::shared_ptr<std::function<void(bool)>> clock_; // a question's end may come after this one's
    std::function<void(std::string)> progress_;
    mcp::Asker asker_;
    std::shared_ptr<std::size_t> asked_ = std::make_shared<std::size_t>(0);
    std::set<std::string> called_;
    std::map<std::string, std::string> odd_{}; // by tool; a bounded number
};

} // namespace bridge
