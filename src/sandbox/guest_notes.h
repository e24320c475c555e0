#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "src/base/json.h"
#include "src/jsonrpc/message.h"
#include "src/sandbox/execution.h"
#include "src/sandbox/lessons.h"

namespace sandbox {

/// What a guest says without being asked (src/guest/README.md, Guest to host): of its start, and what its
/// code shows while an execution runs. What is malformed is dropped: it comes from code that got hold of PID
/// 1's place in the conversation, or from a guest that broke. On the loop's thread.
class GuestNotes {
public:
    struct Sinks {
        std::function<void()> ready;                     ///< facts() is there. Once.
        std::function<void(const std::string&)> give_up; ///< The id (JSON text) of a request nobody awaits.
    };

    GuestNotes(std::shared_ptr<Lessons> lessons, Sinks sinks);

    void take(const jsonrpc::Message& notification);

    /// The JSON text of the guest's attestation; empty until it is ready.
    const std::string& facts() const { return facts_; }
    const std::string& python() const { return python_; } ///< "3.11.2"

    /// An execution runs from here to end(); `head` is the most characters that it may send of a stream.
    void begin(std::shared_ptr<GuestHost> host, std::int64_t head, bool keep_output);
    void end() { host_ = nullptr; }
    const std::shared_ptr<GuestHost>& host() const { return host_; } ///< Empty: none runs.

    /// What the guest sent of each stream, where it is kept. Once an execution.
    std::string take_out() { return std::move(out_); }
    std::string take_err() { return std::move(err_); }

private:
    void take_one(const std::string& method, const json::Reader& params);
    void take_compiled(const json::Reader& params);
    void take_preloaded(const json::Reader& params);
    void take_ready(const json::Reader& params);
    void take_output(bool is_err, const std::string& text);
    void take_progress(const json::Reader& params);
    void take_display(const json::Reader& params);
    void take_artifact(const json::Reader& params);

    std::shared_ptr<Lessons> lessons_;
    Sinks sinks_;
    std::string facts_;
    std::string python_;
    std::shared_ptr<GuestHost> host_;
    std::string out_, err_;
    std::int64_t head_ = 0;
    bool keep_output_ = true;
    bool begun_ = false; ///< Code may have run.
};

} // namespace sandbox
