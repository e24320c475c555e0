#include "src/engines/stored_login.h"

#include <algorithm>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/base/text.h"

namespace engines {
namespace {

constexpr const char* hub = "docker.io";
constexpr const char* hub_key = "https://index.docker.io/v1/"; // as `docker login` writes it
constexpr const char* token_user = "<token>"; // the user name that stands for an identity token

/// A file's key as full_repository writes such names: without scheme and, after one, without path.
std::string plain_key(std::string key) {
    const std::size_t scheme = key.find("://");
    if (scheme != std::string::npos) {
        key.erase(0, scheme + 3);
        key.resize(std::min(key.size(), key.find('/')));
    }
    const std::string host = key.substr(0, key.find('/'));
    if (host == "index.docker.io" || host == "registry-1.docker.io") key.replace(0, host.size(), hub);
    return key;
}

/// The member of an object whose key fits the repository best.
std::optional<json::Reader> best_member(const json::Reader& object, const std::string& repository) {
    std::optional<json::Reader> best;
    std::size_t length = 0;
    for (const std::string& key : object.keys()) {
        const std::string plain = plain_key(key);
        const bool fits = repository == plain || repository.starts_with(plain + '/');
        if (!fits || plain.size() < length || plain.empty()) continue;
        length = plain.size();
        best = object.at(key);
    }
    return best;
}

runtime_api::RegistryAuth make_auth(const std::string& user, const std::string& secret,
                                    const std::string& server) {
    runtime_api::RegistryAuth auth;
    auth.server = server;
    if (user == token_user) {
        auth.identity_token = secret;
        return auth;
    }
    auth.username = user;
    auth.password = secret;
    return auth;
}

runtime_api::RegistryAuth read_entry(const json::Reader& entry, const std::string& server) {
    runtime_api::RegistryAuth auth;
    entry.read_optional("username", auth.username);
    entry.read_optional("password", auth.password);
    std::string encoded;
    if (entry.read_optional("auth", encoded) && !encoded.empty()) {
        const std::optional<std::string> pair = base::base64_decoded(encoded);
        const std::size_t colon = pair ? pair->find(':') : std::string::npos;
        if (colon == std::string::npos) entry.at("auth").fail("expected base64 of user:password");
        std::string password = pair->substr(colon + 1);
        while (password.ends_with('\0')) password.pop_back(); // which some tools pad with
        auth = make_auth(pair->substr(0, colon), password, server);
    }
    entry.read_optional("identitytoken", auth.identity_token);
    if (!auth.username.empty() || !auth.identity_token.empty()) auth.server = server;
    return auth;
}

} // namespace

StoredLogin stored_login(std::string_view text, const std::string& repository) {
    StoredLogin out;
    out.server = repository.substr(0, repository.find('/'));
    out.helper_keys = {out.server};
    if (out.server == hub) out.helper_keys.insert(out.helper_keys.begin(), hub_key);
    const json::Document document(text);
    const json::Reader in = document.root();
    if (const auto helpers = in.find("credHelpers"); helpers && helpers->is_object())
        if (const auto mine = best_member(*helpers, repository)) out.helper = mine->as_string();
    if (out.helper.empty()) in.read_optional("credsStore", out.helper);
    if (const auto auths = in.find("auths"); auths && auths->is_object())
        if (const auto mine = best_member(*auths, repository)) out.auth = read_entry(*mine, out.server);
    return out;
}

std::vector<std::string> stored_keys(std::string_view text) {
    const json::Document document(text);
    const json::Reader in = document.root();
    std::vector<std::string> out;
    for (const char* part : {"auths", "credHelpers"}) {
        const auto object = in.find(part);
        if (!object || !object->is_object()) continue;
        for (const std::string& key : object->keys()) {
            std::string plain = plain_key(key);
            const bool known = std::find(out.begin(), out.end(), plain) != out.end();
            if (!plain.empty() && !known) out.push_back(std::move(plain));
        }
    }
    return out;
}

runtime_api::RegistryAuth helper_login(std::string_view text, const std::string& server) {
    const json::Document document(text);
    const json::Reader in = document.root("answer");
    std::string user;
    std::string secret;
    in.read("Username", user);
    in.read("Secret", secret);
    return make_auth(user, secret, server);
}

bool good_helper_name(std::string_view name) {
    const auto good = [](char c) {
        return base::is_letter(c) || base::is_digit(c) || c == '-' || c == '_' || c == '.';
    };
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), good);
}

} // namespace engines
