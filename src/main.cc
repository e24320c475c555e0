#include <malloc.h>

#include <csignal>
#include <cstdlib>

#include "src/base/large_blocks.h"
#include "src/base/text.h"
#include "src/cli/app.h"
#include "src/cli/commands.h"
#include "src/cli/help.h"
#include "src/cli/log.h"
#include "src/cli/say.h"
#include "src/jsonrpc/stdio.h"

namespace {

using base::Shown;

int run(const cli::Options& options) {
    if (options.command == "serve") return cli::serve(options);
    if (options.command == "exec") return cli::exec(options);
    if (options.command == "doctor") return cli::doctor(options);
    if (options.command == "servers") return cli::servers(options);
    if (options.command == "policy") return cli::policy(options);
    if (options.command == "image") return cli::image(options);
    if (options.command == "sweep") return cli::sweep(options);
    if (options.command == "version") return cli::say_line("cordon " CORDON_VERSION), EXIT_SUCCESS;
    if (options.command == "settings-table")
        return cli::say(Shown::ours(cli::settings_markdown())), EXIT_SUCCESS;
    return cli::say(Shown::ours(cli::help_text(options.topic))), EXIT_SUCCESS;
}

// One arena, and large blocks given back when they are freed: else a few large messages in several threads
// would stay with us for good.
void keep_memory_small() {
    ::mallopt(M_ARENA_MAX, 1);
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

} // namespace

int main(int argc, char** argv) {
    jsonrpc::fill_standard_descriptors();
    keep_memory_small();
    base::free_large_blocks_elsewhere();
    std::signal(SIGPIPE, SIG_IGN); // a peer that goes away is an error code, not our death
    try {
        const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
        const cli::Options options = cli::read_options(
            arguments, base::base_name(argc > 0 && argv[0] ? argv[0] : "cordon"), cli::own_environment());
        cli::set_up_log(options.settings.log_level);
        for (const std::string& warning : options.warnings) cli::tell(Shown::block(warning));
        return run(options);
    } catch (const cli::UsageError& e) {
        cli::tell(Shown::block(e.what()));
        return 2;
    } catch (const config::Error& e) {
        cli::tell(Shown::block(e.what()));
        return 2;
    } catch (const std::exception& e) {
        cli::tell(Shown::block(e.what()));
        return EXIT_FAILURE;
    }
}
