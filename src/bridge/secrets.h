#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bridge {

/// The secrets that the user's servers were configured with, and the one door that takes them out of what
/// leaves for code, results and logs. A server's words, its errors and its answers may repeat what it was
/// given: its environment, its headers, its URL.
///
/// What counts as a secret: in `env`, a value whose name says so (TOKEN, KEY, PASSWORD …) or that looks
/// random; in `headers`, all but what says how to read a body; in a URL, the password and long values of the
/// query. Values under eight characters are too common to be taken out. Found as it is, as JSON writes it,
/// percent-encoded, in base64 wherever it begins, and in hex. Immutable once made: any thread may use it.
class Secrets {
public:
    /// What one server was configured with.
    struct Server {
        std::map<std::string, std::string> env{}; ///< Its own, not what every child gets.
        std::vector<std::string> headers{};       ///< "Name: value"
        std::string url{};
    };

    /// Throws config::Error where they cannot be looked for.
    explicit Secrets(const std::vector<Server>& servers);
    ~Secrets();
    Secrets(const Secrets&) = delete;
    Secrets& operator=(const Secrets&) = delete;

    /// The text with "[secret]" for each of them; a number stays one, of ones, so that JSON stays JSON. As
    /// it was where there is none, which is told fast.
    std::string without(std::string text) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace bridge
