#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "src/base/event.h"
#include "src/bridge/call_form.h"
#include "src/mcp/elicitation.h"
#include "src/policy/store.h"

namespace bridge {

/// Calls that people have allowed "for this session", by client: one tool under one rule each. Bounded; what
/// does not fit is asked again. On the loop's thread.
class Grants {
public:
    void add(const std::string& client, const std::string& call);
    bool has(const std::string& client, const std::string& call) const;
    void forget(const std::string& client) { by_client_.erase(client); }

private:
    std::map<std::string, std::set<std::string>> by_client_{};
};

/// Asks the person at the client which calls of one run may go on. Calls that come within a moment are asked
/// in one form, and so are those that come while a form waits; one form at a time. While there is anything to
/// ask, the run is frozen. Held by its run's policy and by what waits; on the loop's thread.
class CallQuestions : public std::enable_shared_from_this<CallQuestions> {
public:
    struct Options {
        mcp::AskPerson ask{};            ///< Shows a form. Never empty.
        std::string client{};            ///< Empty: "for this session" is not offered.
        policy::Store* store = nullptr;  ///< Where "allow always" writes. Null: not offered.
        Grants* grants = nullptr;        ///< Both outlive all runs.
        std::chrono::seconds limit{120}; ///< For the answer to one form.
    };
    CallQuestions(boost::asio::any_io_executor executor, Options options);

    /// As AskCall. A run may ask 64 times, and for 55 minutes in all.
    boost::asio::awaitable<std::string> ask(CallQuestion question);

    /// Stops and starts the run; set before the first question. Freezing gives "" or why it cannot be done,
    /// which `note` is told once.
    std::function<boost::asio::awaitable<std::string>()> freeze{};
    std::function<boost::asio::awaitable<void>()> thaw{};
    std::function<void(std::string)> note{};

private:
    struct Item;
    using Items = std::vector<std::shared_ptr<Item>>;

    static boost::asio::awaitable<void> work(std::shared_ptr<CallQuestions> self);
    static boost::asio::awaitable<void> show(std::shared_ptr<CallQuestions> self, Items items);
    static boost::asio::awaitable<std::string> ask_client(std::shared_ptr<CallQuestions> self,
                                                          std::string params);
    Items next();
    void settle(Item& item, Permission permission);
    AskedCall asked(CallQuestion question) const;

    boost::asio::any_io_executor executor_;
    Options options_;
    base::Event changed_;
    std::deque<std::shared_ptr<Item>> waiting_{};
    std::set<std::string> granted_{}; ///< For this run.
    std::size_t count_ = 0;
    std::chrono::steady_clock::duration took_{};
    bool works_ = false;
    bool noted_ = false;
};

} // namespace bridge
