#pragma once
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "src/base/gate.h"
#include "src/base/workers.h"
#include "src/bridge/catalogue.h"
#include "src/bridge/policy.h"
#include "src/bridge/run_report.h"
#include "src/bridge/saved_tools.h"
#include "src/schema/check.h"
#include "src/search/tool_index.h"

namespace bridge {

/// What all runs share of the host's side: the servers, the index over their tools, the saved functions.
/// Outlives all runs.
struct Shelf {
    Catalogue& catalogue;
    schema::Check& schemas;
    search::ToolIndex& index;
    SavedTools* saved = nullptr;                   ///< Null: turned off.
    std::function<std::string()> image_contents{}; ///< What the image says is in it; may be empty.
    const Secrets* secrets = nullptr; ///< Taken out of all that goes to code. Null: there are none.
    base::Workers* workers = nullptr; ///< Where the index, schemas and saved functions are worked on.
};

/// Where a run's methods tell what happens. Each may be empty; all must be callable as long as the methods
/// live.
struct RunSinks {
    /// True: an upstream server is being started for this run, or a person is asked; false: that is over.
    std::function<void(bool)> clock{};
    /// What an upstream server says of a call's progress, as a line.
    std::function<void(std::string)> progress{};
    /// CPU time that the host spent for the run elsewhere than on the loop.
    std::function<void(std::chrono::nanoseconds)> spent{};
    /// Waits until the guest has read most of what was written to it; then another answer may be made.
    std::function<boost::asio::awaitable<void>()> writable{};
    mcp::Asker asker{};   ///< Whom the servers may ask.
    std::string client{}; ///< Who calls, for people; goes with what code saves.
};

/// An error that code sees as an exception: `kind` is one of src/guest/README.md. `structured`: JSON text of
/// what an upstream server said beside its message, or empty.
jsonrpc::Error guest_error(const std::string& kind, const std::string& message,
                           const std::string& structured = {});

/// The methods that code in a run can call on its host, each bounded and through the run's policy. One object
/// a run.
class GuestMethods {
public:
    GuestMethods(Shelf& shelf, Policy policy, boost::asio::any_io_executor executor, RunSinks sinks);

    /// The JSON text of the method's result, without the secrets of any server. Throws jsonrpc::Error
    /// (guest_error), json::Error.
    boost::asio::awaitable<std::string> answer(jsonrpc::Message message);

    /// The servers that were called, by name.
    const std::set<std::string>& called() const { return called_; }

    /// What the code waits for now, the longest first: calls, and servers that are being started.
    std::vector<WaitingCall> waiting() const;

    /// What was odd with their results, a line a tool; with the servers that were called, what came up in
    /// this run; and what the run must know of saved functions.
    std::vector<std::string> notes() const;

    /// The run's code has ended: a function that is being saved is told of, or is not saved. Nothing is saved
    /// from here on.
    void ending();

    /// What became of saved functions, by the host's own knowledge: "saved plus", "loaded minus".
    const std::vector<std::string>& saved_tools() const { return saved_tools_; }

    /// What the run may use by now; see Policy.
    Policy::Rights rights() const { return policy_.rights(); }
    const std::set<std::string>& read() const { return policy_.read(); } ///< As Policy::read.
    void has_read(const std::set<std::string>& servers) { policy_.has_read(servers); }
    void narrow_to(const Policy::Rights& other, const std::string& why);
    /// Nothing has run yet: what narrowed the rights so far is no more.
    void begin_anew();

    /// `execute`'s servers: [{name, alias, description}].
    std::string servers_json() const;

private:
    // What the code waits for, as long as this lives.
    struct Wait {
        std::string server, tool;
        std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    };
    using Waits = std::list<Wait>;
    class Waiting;

    boost::asio::awaitable<std::string> answer_all(jsonrpc::Message message);
    boost::asio::awaitable<std::string> without_secrets(std::string text);
    std::string cleaned(std::string text) const;
    template <class Job> boost::asio::awaitable<std::invoke_result_t<Job&>> charged(Job job);
    template <class Job> boost::asio::awaitable<std::string> worked_out(Job job);
    boost::asio::awaitable<std::vector<std::string>> checked(std::string_view schema, std::string* arguments);
    boost::asio::awaitable<std::string> oddity(const CatalogueTool* tool, const jsonrpc::Message* answer);
    boost::asio::awaitable<std::string> servers();
    boost::asio::awaitable<std::string> list_tools(std::string params);
    boost::asio::awaitable<std::string> call_tool(jsonrpc::Message message);
    boost::asio::awaitable<const policy::Rule*> admit(policy::Target target, std::string description,
                                                      const std::string* arguments);
    boost::asio::awaitable<std::string> query_tool_docs(std::string params);
    boost::asio::awaitable<std::string> search_tool_docs(std::string params);
    boost::asio::awaitable<std::string> saved(std::string method, std::string params);
    // A function on its way to the file. Whoever comes first, the job or the end of the run, decides what
    // becomes of it.
    struct Saving {
        enum { waits, begun, given_up };
        explicit Saving(std::string n) : name(std::move(n)) {}
        std::string name;
        std::atomic<int> state{waits};
        bool told = false; ///< On the loop's thread.
    };

    void tell_saved(const std::string& what, const std::string& note);
    void take_rights(const SavedTools::Tool& tool);

    std::string allowed_server(const std::string& name_or_alias) const;
    boost::asio::awaitable<Catalogue::Tools> tools_of(std::string server);
    std::function<void(double, std::optional<double>, std::string)> progress_of(std::string tool) const;
    mcp::Asker asker() const;
    Catalogue::WhileStarting paused_start() const;
    bool may_ask() const { return sinks_.asker.ask != nullptr; }
    boost::asio::awaitable<void> start_all();
    void note_oddity(const std::string& tool, const std::string& what);

    Shelf& shelf_;
    Policy policy_;
    const Policy first_policy_ = policy_;
    std::shared_ptr<std::function<void(bool)>> clock_; // a question's end may come after this one's
    RunSinks sinks_;
    base::Gate few_; ///< For what the host works out itself.
    std::shared_ptr<std::size_t> asked_ = std::make_shared<std::size_t>(0);
    std::shared_ptr<Waits> waits_ = std::make_shared<Waits>();
    std::set<std::string> called_;
    std::map<std::string, std::size_t> told_before_{}; // warnings on a server before this run used it
    std::map<std::string, std::string> odd_{};         // by tool; a bounded number
    std::vector<std::string> saved_tools_{};
    std::vector<std::string> saved_notes_{};
    std::list<std::shared_ptr<Saving>> saving_{};
    bool ended_ = false;
};

} // namespace bridge
