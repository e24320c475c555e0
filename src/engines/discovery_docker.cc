#include "src/engines/discovery_docker.h"

#include "runtime_api/error.h"
#include "src/base/json.h"
#include "src/base/sha256.h"
#include "src/base/text.h"

namespace engines::discovery {
namespace {

constexpr const char* remote_docker_socket = "/var/run/docker.sock";

/// Those of ca.pem, cert.pem and key.pem that are in a folder. A certificate without its key is no use, and
/// the other way round.
TlsFiles tls_files_in(const std::string& folder) {
    TlsFiles out;
    if (file_exists(folder + "/ca.pem")) out.ca = folder + "/ca.pem";
    if (!file_exists(folder + "/cert.pem") || !file_exists(folder + "/key.pem")) return out;
    out.cert = folder + "/cert.pem";
    out.key = folder + "/key.pem";
    return out;
}

/// What DOCKER_CERT_PATH lacks; "" if nothing. Docker's own command refuses the same.
std::string lacking(const std::string& folder, bool verify) {
    const std::string in = " in " + folder;
    if (verify && !file_exists(folder + "/ca.pem")) return "DOCKER_CERT_PATH: there is no ca.pem" + in;
    const bool cert = file_exists(folder + "/cert.pem");
    if (cert == file_exists(folder + "/key.pem")) return "";
    return std::string("DOCKER_CERT_PATH: there is ") +
           (cert ? "cert.pem without its key.pem" : "key.pem without its cert.pem") + in;
}

/// DOCKER_HOST as a URL: Docker's own command takes it without a scheme (tcp), host or port.
std::string docker_host_url(const std::string& value, bool tls) {
    std::string url(base::trimmed(value));
    if (url == "unix://") return url + remote_docker_socket;
    if (url.find("://") == std::string::npos && !url.starts_with('/')) url.insert(0, "tcp://");
    if (!url.starts_with("tcp://")) return url;
    std::string address = url.substr(6);
    const std::size_t close = address.rfind(']'); // colons before it are the address's own
    const std::size_t colon = address.find(':', close == std::string::npos ? 0 : close);
    if (address.empty() || colon == 0) address.insert(0, "127.0.0.1");
    if (colon == std::string::npos && address.find_first_of("/?#@") == std::string::npos)
        address += tls ? ":2376" : ":2375";
    return "tcp://" + address;
}

void default_ssh_path(Candidate& candidate) {
    if (!candidate.endpoint || candidate.endpoint->kind != runtime_api::Endpoint::Kind::ssh ||
        !candidate.endpoint->path.empty())
        return;
    candidate.endpoint->path = remote_docker_socket;
    candidate.url = candidate.endpoint->url();
}

struct Context {
    std::string host;
    bool skip_verify = false;
};

/// Throws runtime_api::Error(bad_endpoint).
Context read_context(const std::string& path, const std::string& name) {
    const std::optional<std::string> text = read_small_file(path);
    if (!text)
        throw runtime_api::Error(runtime_api::Errc::bad_endpoint,
                                 "Docker has no context \"" + name + "\" (no file " + path + ')');
    Context out;
    try {
        const json::Document document(*text);
        const json::Reader docker = document.root().at("Endpoints").at("docker");
        docker.read("Host", out.host);
        docker.read_optional("SkipTLSVerify", out.skip_verify);
    } catch (const json::Error& e) {
        throw runtime_api::Error(runtime_api::Errc::bad_endpoint, path + ": " + e.what());
    }
    return out;
}

} // namespace

std::string docker_dir(const Surroundings& around) {
    if (std::string set = variable(around, "DOCKER_CONFIG"); !set.empty()) return set;
    return around.home.empty() ? "" : around.home + "/.docker";
}

std::string current_docker_context(const Surroundings& around) {
    const std::string folder = docker_dir(around);
    if (folder.empty()) return "";
    const std::string path = folder + "/config.json";
    const std::optional<std::string> text = read_small_file(path);
    if (!text || text->empty()) return "";
    std::string name;
    try {
        json::Document(*text).root().read_optional("currentContext", name);
    } catch (const json::Error& e) {
        throw runtime_api::Error(runtime_api::Errc::bad_endpoint, path + ": " + e.what());
    }
    return name == "default" ? "" : name;
}

Candidate from_docker_host(const Surroundings& around) {
    const bool verify = !variable(around, "DOCKER_TLS_VERIFY").empty();
    const bool tls = verify || !variable(around, "DOCKER_TLS").empty();
    Candidate out = said("DOCKER_HOST", docker_host_url(variable(around, "DOCKER_HOST"), tls));
    default_ssh_path(out);
    const bool https = out.endpoint && out.endpoint->kind == runtime_api::Endpoint::Kind::https;
    if (!tls && !https) return out;

    const std::string set = variable(around, "DOCKER_CERT_PATH");
    const std::string folder = set.empty() ? docker_dir(around) : set;
    TlsFiles files = tls_files_in(folder);
    files.verify = verify || https; // DOCKER_TLS alone means TLS that checks nobody
    add_tls(out, files);
    if (!set.empty() && out.endpoint && out.endpoint->kind == runtime_api::Endpoint::Kind::https)
        out.problem = lacking(set, verify);
    return out;
}

Candidate from_docker_context(const Surroundings& around, const std::string& source,
                              const std::string& name) {
    const std::string contexts = docker_dir(around) + "/contexts/";
    const std::string id = base::sha256_hex(name); // so Docker names the folders of one
    try {
        const Context context = read_context(contexts + "meta/" + id + "/meta.json", name);
        Candidate out = said(source, context.host);
        default_ssh_path(out);
        TlsFiles files = tls_files_in(contexts + "tls/" + id + "/docker");
        files.verify = !context.skip_verify;
        if (!files.ca.empty() || !files.cert.empty() || context.skip_verify) add_tls(out, files);
        return out;
    } catch (const runtime_api::Error& e) {
        return said_wrongly(source, e.what());
    }
}

} // namespace engines::discovery
