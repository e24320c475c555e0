#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "src/bridge/policy.h"
#include "src/sandbox/pool.h"

namespace bridge {

/// Interpreters that live on between calls, by client and name. A session belongs to one client and ends with
/// it, when it was idle too long, when it is two hours old, when its container died, or when room is needed
/// (the one idle longest). Two calls in one session run one after the other. On the loop's thread.
class Sessions {
public:
    static constexpr std::size_t most_name_bytes = 64;

    Sessions(boost::asio::any_io_executor executor, sandbox::Pool& pool, std::chrono::seconds idle);
    ~Sessions();
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;

    /// The session in use; its destruction lets the next call in. One whose interpreter did not survive ends.
    class Turn {
    public:
        Turn() = default;
        Turn(Turn&&) noexcept = default;
        Turn& operator=(Turn&&) noexcept = default;
        sandbox::Sandbox& sandbox() const;
        /// Why the interpreter is a new one although the client had this session before: "it was idle for 600
        /// s"; else empty.
        const std::string& begins_anew() const { return anew_; }
        /// What its earlier runs might use; nothing: all. Their threads and objects live on in the session.
        const Policy::Rights& rights() const;
        /// What the run that ends might use, for those that follow.
        void leave_rights(Policy::Rights rights);
        /// Private servers that its earlier runs read: what they gave may still be in a variable.
        const std::set<std::string>& read() const { return *read_; }
        void leave_read(const std::set<std::string>& servers) {
            read_->insert(servers.begin(), servers.end());
        }

    private:
        friend class Sessions;
        std::shared_ptr<void> hold_;
        sandbox::Sandbox* sandbox_ = nullptr;
        std::string anew_;
        std::shared_ptr<Policy::Rights> rights_;
        std::shared_ptr<std::set<std::string>> read_;
    };

    /// The name under which a client that nothing tells from others has its sessions, as client "": `wanted`,
    /// where that is one that this gave it; else one that cannot be guessed and begins with `wanted`.
    std::string name_for_stranger(const std::string& wanted) const;

    /// Waits for its turn. Throws what Pool::acquire throws. Cancellable (terminal).
    boost::asio::awaitable<Turn> enter(std::string client, std::string name);

    void end_client(const std::string& client);
    /// Ends an idle session: of the client that has most, the one that was used longest ago. So one client's
    /// sessions do not cost another its only one. False where none is idle.
    bool end_idlest();
    void close();
    std::size_t size() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace bridge
