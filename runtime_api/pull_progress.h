#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_api/engine.h"
#include "runtime_api/error.h"

namespace runtime_api {

/// Reads what an engine says while it pulls an image: JSON objects, one a line, cut anywhere. Pure.
class PullReader {
public:
    /// sink may be empty.
    PullReader(Dialect dialect, PullSink sink) : dialect_(dialect), sink_(std::move(sink)) {}

    /// Takes more bytes. Throws Error(protocol) on a line that is not such an object, Error(too_large) on one
    /// of more than max_line bytes.
    void feed(std::string_view bytes);

    /// The engine said all it had to say. Throws what it said went wrong (not_found, rejected, engine_fault),
    /// which comes under HTTP 200, and Error(protocol) if podman did not say that it has the image.
    void finish(const std::string& attempted);

    static constexpr std::size_t max_line = 256 << 10;

private:
    struct Layer {
        std::int64_t done = 0;
        std::int64_t total = 0;
    };

    void take_line(std::string_view line);
    void report(std::string status);
    void count(const std::string& layer, const std::string& status, std::int64_t done, std::int64_t total);

    Dialect dialect_;
    PullSink sink_;
    std::string line_;                    ///< Begun and not ended.
    std::string failure_;                 ///< The engine's words.
    bool have_image_ = false;             ///< libpod: the line with "id" came.
    std::map<std::string, Layer> layers_; ///< By Docker's short id.
};

/// "X-Registry-Auth: …", or nothing without credentials, as each engine wants it: Docker the first login
/// alone; podman the same or a map of them by registry, of which it uses the one that it needs, wherever a
/// short name leads. An identity token it takes in the first form only.
std::vector<std::string> registry_auth_headers(Dialect dialect, const std::vector<RegistryAuth>& logins);

/// What an engine's words about a pull mean: rejected (the registry lets nobody in), not_found, else
/// engine_fault.
Errc pull_errc(const std::string& words);

} // namespace runtime_api
