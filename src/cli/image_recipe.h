#pragma once
#include <span>
#include <string>

#include "src/cli/embedded_file.h"

namespace cli {

/// The files of images/debian and scripts that an image is built with: "scripts/lib.sh".
std::span<const EmbeddedFile> image_recipe();

/// A tarball of an image's file system, and what is in it.
struct BuiltTar {
    std::string file;
    std::string contents; ///< "Debian GNU/Linux 12 (bookworm); Python 3.11.2"
    std::string suite;
};

/// Builds one from Debian packages, without a registry and without the engine, in `folder`, where it stays: a
/// second time it is only found. flavour: "python" or "datascience"; suite: "bookworm", …, or "" for this
/// host's. What it does meanwhile goes to stderr. Throws std::runtime_error.
BuiltTar build_tar(const std::string& folder, const std::string& flavour, const std::string& suite);

} // namespace cli
