#pragma once
#include "src/cli/options.h"

namespace cli {

/// The commands. Each returns the process's exit status, after everything it made is gone again.
int serve(const Options& options);
int serve_http(const Options& options); ///< serve --http
int exec(const Options& options);
int doctor(const Options& options);
int servers(const Options& options);
int accept_servers(const Options& options); ///< servers accept
int policy(const Options& options);         ///< policy, policy test
int image(const Options& options);          ///< image list, pull, use, build, rm
int sweep(const Options& options);

} // namespace cli
