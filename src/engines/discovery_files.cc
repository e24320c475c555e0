#include "src/engines/discovery_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "runtime_api/error.h"
#include "src/base/small_file.h"

namespace engines::discovery {
namespace {

std::string without_password(const std::string& url) {
    const std::size_t scheme = url.find("://");
    const std::size_t at = url.rfind('@');
    if (at == std::string::npos) return url;
    const std::size_t colon = url.find(':', scheme == std::string::npos ? 0 : scheme + 3);
    return colon < at ? url.substr(0, colon + 1) + "***" + url.substr(at) : url;
}

} // namespace

std::string variable(const Surroundings& around, const std::string& name) {
    const auto it = around.environment.find(name);
    return it == around.environment.end() ? "" : it->second;
}

std::string system_path(const Surroundings& around, const std::string& path) { return around.root + path; }

std::string config_home(const Surroundings& around) {
    std::string set = variable(around, "XDG_CONFIG_HOME");
    if (set.starts_with('/')) return set; // the XDG specification: a relative one is to be ignored
    return around.home.empty() ? "" : around.home + "/.config";
}

std::vector<std::string> runtime_dirs(const Surroundings& around) {
    std::vector<std::string> out;
    if (const std::string set = variable(around, "XDG_RUNTIME_DIR"); set.starts_with('/')) out.push_back(set);
    while (!out.empty() && out.back().size() > 1 && out.back().ends_with('/')) out.back().pop_back();
    const std::string usual = system_path(around, "/run/user/" + std::to_string(around.uid));
    if (!around.macos && (out.empty() || out.back() != usual)) out.push_back(usual);
    return out;
}

std::optional<std::string> read_small_file(const std::string& path) {
    try {
        return base::read_small_file(path);
    } catch (const base::FileError& e) {
        throw runtime_api::Error(runtime_api::Errc::bad_endpoint, e.what());
    }
}

std::vector<std::string> files_in(const std::string& folder, const std::string& suffix) {
    std::vector<std::string> out;
    std::error_code ec;
    std::filesystem::directory_iterator it(folder, ec);
    for (; !ec && it != std::filesystem::directory_iterator() && out.size() < max_folder_entries;
         it.increment(ec))
        if (std::string path = it->path().string(); path.ends_with(suffix)) out.push_back(std::move(path));
    std::sort(out.begin(), out.end());
    return out;
}

bool file_exists(const std::string& path) {
    std::error_code ec;
    return std::filesystem::exists(path, ec);
}

Candidate said(const std::string& source, const std::string& url) {
    Candidate out;
    out.source = source;
    out.said = true;
    try {
        out.endpoint = runtime_api::parse_endpoint(url);
        out.url = out.endpoint->url();
    } catch (const runtime_api::Error& e) {
        out.url = without_password(url);
        out.problem = e.what();
    }
    return out;
}

Candidate said_wrongly(const std::string& source, const std::string& problem) {
    Candidate out;
    out.source = source;
    out.said = true;
    out.problem = problem;
    return out;
}

void add_tls(Candidate& candidate, const TlsFiles& files) {
    if (!candidate.endpoint) return;
    runtime_api::Endpoint& endpoint = *candidate.endpoint;
    if (endpoint.kind == runtime_api::Endpoint::Kind::tcp) endpoint.kind = runtime_api::Endpoint::Kind::https;
    if (endpoint.kind != runtime_api::Endpoint::Kind::https) return;
    endpoint.ca_file = files.ca;
    endpoint.cert_file = files.cert;
    endpoint.key_file = files.key;
    endpoint.verify = files.verify;
    candidate.url = endpoint.url();
}

} // namespace engines::discovery
