// Drives the client role by hand: starts one upstream server, prints what it is, and calls a tool.
//
//   client_probe [--call TOOL JSON]… [--times N] [--header LINE] [--protocol auto|legacy|modern] [--hold]
//   [--pause] [--accept] URL | [--sse] URL | -- COMMAND ARGS…
#include <signal.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "src/base/json.h"
#include "src/mcp/client/client.h"

extern char** environ;

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct Wanted {
    mcp::ClientSpec spec;
    std::vector<std::pair<std::string, std::string>> calls; // tool and arguments
    int times = 1;
    bool hold = false;  // reads stdin to its end before it stops the server
    bool pause = false; // reads a byte of stdin between two calls
};

// A person who accepts whatever a form proposes (SEP-1034): each field that has a default, with that.
asio::awaitable<std::string> accept_defaults(std::string params) {
    const std::string_view schema = json::member(params, "requestedSchema").value_or("{}");
    json::Writer w;
    w.object().field("action", "accept").key("content").object();
    for (const json::Member& each : json::members(json::member(schema, "properties").value_or("{}")))
        if (const auto value = json::member(each.value, "default")) w.raw_field(each.key, *value);
    co_return w.end().end().take();
}

Wanted parse(int argc, char** argv) {
    Wanted wanted;
    wanted.spec.name = "probed";
    wanted.spec.start_timeout = 60s;
    for (char** each = environ; *each; ++each) wanted.spec.launch.env.emplace_back(*each);
    const auto value = [&](int& i) { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--call") {
            const std::string tool = value(i);
            wanted.calls.emplace_back(tool, value(i));
        } else if (word == "--times") {
            wanted.times = std::atoi(value(i).c_str());
        } else if (word == "--header") {
            wanted.spec.headers.push_back(value(i));
        } else if (word == "--protocol") {
            const std::string protocol = value(i);
            if (protocol == "legacy") wanted.spec.protocol = mcp::ClientSpec::Protocol::legacy;
            if (protocol == "modern") wanted.spec.protocol = mcp::ClientSpec::Protocol::modern;
        } else if (word == "--hold") {
            wanted.hold = true;
        } else if (word == "--pause") {
            wanted.pause = true;
        } else if (word == "--accept") {
            wanted.spec.elicits = true;
        } else if (word == "--sse") {
            wanted.spec.transport = mcp::ClientSpec::Transport::sse;
        } else if (word == "--") {
            wanted.spec.launch.argv.assign(argv + i + 1, argv + argc);
            break;
        } else {
            wanted.spec.url = word;
            if (wanted.spec.transport == mcp::ClientSpec::Transport::stdio)
                wanted.spec.transport = mcp::ClientSpec::Transport::http_or_sse;
        }
    }
    return wanted;
}

void print_server(const mcp::Client& client) {
    const mcp::ServerFacts& facts = client.facts();
    std::printf("server: %s %s\n", facts.name.c_str(), facts.server_version.c_str());
    std::printf("transport: %s\nera: %s\nversion: %s\n", client.transport().c_str(),
                facts.era == mcp::Era::modern ? "modern" : "legacy", facts.version.c_str());
    std::printf("tools: %zu\n", client.tools().size());
    for (const mcp::UpstreamTool& each : client.tools()) std::printf("  %s\n", each.name.c_str());
    for (const std::string& each : client.warnings()) std::printf("warning: %s\n", each.c_str());
}

asio::awaitable<void> call(mcp::Client& client, std::string tool, std::string arguments) {
    mcp::CallOptions options;
    options.on_progress = [](double done, std::optional<double> total, const std::string& message) {
        std::printf("progress: %g/%g %s\n", done, total.value_or(0), message.c_str());
    };
    if (client.spec().elicits) options.asker = mcp::Asker{"probe", accept_defaults};
    const jsonrpc::Message answer =
        co_await client.call_tool(std::move(tool), std::move(arguments), std::move(options));
    const std::string text(answer.result().substr(0, 2000));
    std::printf("result (%zu bytes): %s\n", answer.result().size(), text.c_str());
    std::fflush(stdout);
}

asio::awaitable<void> call_all(mcp::Client& client, const Wanted& wanted) {
    char c = 0;
    for (int i = 0; i < wanted.times; ++i) {
        if (wanted.pause && i > 0 && ::read(0, &c, 1) < 0) co_return;
        for (const auto& [tool, arguments] : wanted.calls) co_await call(client, tool, arguments);
    }
}

asio::awaitable<int> probe(mcp::Client& client, Wanted wanted) {
    int status = 1;
    try {
        co_await client.start();
        print_server(client);
        co_await call_all(client, wanted);
        status = 0;
    } catch (const jsonrpc::Error& e) { // what the probe is there to show
        std::printf("error %d: %s\n", e.code(), e.what());
    }
    std::fflush(stdout);
    char c = 0;
    while (wanted.hold && ::read(0, &c, 1) > 0) {
    }
    co_await client.stop(2s);
    co_return status;
}

} // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    const Wanted wanted = parse(argc, argv);
    asio::io_context loop;
    mcp::Client client(loop.get_executor(), wanted.spec, {});
    int status = 1;
    asio::co_spawn(loop, probe(client, wanted), [&](std::exception_ptr e, int s) { status = e ? 1 : s; });
    loop.run();
    return status;
}
