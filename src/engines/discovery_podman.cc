#include "src/engines/discovery_podman.h"

#include <toml++/toml.h>

#include <map>
#include <utility>
#include <vector>

#include "runtime_api/error.h"
#include "src/base/json.h"
#include "src/engines/discovery_files.h"

namespace engines::discovery {
namespace {

struct Known {
    std::string fallback; ///< The name of the default connection.
    std::map<std::string, PodmanConnection> connections;
};

[[noreturn]] void fail(const std::string& why) {
    throw runtime_api::Error(runtime_api::Errc::bad_endpoint, why);
}

void from_json(const json::Reader& in, PodmanConnection& out) {
    in.read("URI", out.uri);
    in.read_optional("Identity", out.identity);
    in.read_optional("TLSCA", out.ca);
    in.read_optional("TLSCert", out.cert);
    in.read_optional("TLSKey", out.key);
    in.read_optional("IsMachine", out.machine);
}

Known read_connections_json(const std::string& path) {
    Known out;
    const std::optional<std::string> text = read_small_file(path);
    if (!text) return out;
    try {
        const json::Document document(*text);
        const auto connection = document.root().find("Connection");
        if (!connection || connection->is_null()) return out;
        connection->read_optional("Default", out.fallback);
        const auto list = connection->find("Connections");
        if (!list || list->is_null()) return out;
        for (const std::string& name : list->keys()) from_json(list->at(name), out.connections[name]);
    } catch (const json::Error& e) {
        fail(path + ": " + e.what());
    }
    return out;
}

/// The value as a T, or T() where it is not there; of another kind, an error with its place.
template <class T> T toml_value(const std::string& path, const toml::table& table, const char* key) {
    const toml::node* node = table.get(key);
    if (!node) return T();
    if (const std::optional<T> value = node->value_exact<T>()) return *value;
    const char* const expected = std::is_same_v<T, bool> ? "true or false" : "a string";
    fail(path + ':' + std::to_string(node->source().begin.line) + ": " + key + ": expected " + expected);
}

void merge_service(const std::string& path, const std::string& name, const toml::node& node, Known& into) {
    const toml::table* const table = node.as_table();
    if (!table)
        fail(path + ':' + std::to_string(node.source().begin.line) + ": service_destinations." + name +
             ": expected a table");
    PodmanConnection out;
    out.uri = toml_value<std::string>(path, *table, "uri");
    out.identity = toml_value<std::string>(path, *table, "identity");
    out.ca = toml_value<std::string>(path, *table, "tls_ca");
    out.cert = toml_value<std::string>(path, *table, "tls_cert");
    out.key = toml_value<std::string>(path, *table, "tls_key");
    out.machine = toml_value<bool>(path, *table, "is_machine");
    into.connections[name] = std::move(out);
}

/// Adds what one containers.conf says to what those before it said.
void merge_containers_conf(const std::string& path, const std::string& text, Known& into) {
    try {
        const toml::table all = toml::parse(text, path);
        const toml::table* const engine = all["engine"].as_table();
        if (!engine) return;
        if (std::string name = toml_value<std::string>(path, *engine, "active_service"); !name.empty())
            into.fallback = std::move(name);
        const toml::table* const services = (*engine)["service_destinations"].as_table();
        if (!services) return;
        for (const auto& [name, node] : *services) merge_service(path, std::string(name.str()), node, into);
    } catch (const toml::parse_error& e) {
        fail(path + ':' + std::to_string(e.source().begin.line) + ": " + std::string(e.description()));
    }
}

void add_with_drop_ins(const std::string& file, std::vector<std::string>& to) {
    to.push_back(file);
    for (std::string& each : files_in(file + ".d", ".conf")) to.push_back(std::move(each));
}

/// Those of a folder of the system, with what it has for rootless users alone (podman 5), or for root (6).
void add_of_system(const Surroundings& around, const std::string& folder, std::vector<std::string>& to) {
    add_with_drop_ins(folder + "/containers.conf", to);
    const std::string special =
        folder + (around.uid == 0 ? "/containers.rootful.conf" : "/containers.rootless.conf");
    add_with_drop_ins(special, to);
    if (around.uid == 0) return;
    for (std::string& each : files_in(special + ".d/" + std::to_string(around.uid), ".conf"))
        to.push_back(std::move(each));
}

/// The files that podman reads, each after those that it overrules. Not all need exist.
std::vector<std::string> containers_conf_files(const Surroundings& around) {
    std::vector<std::string> out;
    if (const std::string only = variable(around, "CONTAINERS_CONF"); !only.empty()) {
        if (!file_exists(only)) fail("CONTAINERS_CONF: " + only + ": no such file");
        out.push_back(only);
    } else {
        for (const char* folder : {"/usr/share/containers", "/etc/containers"})
            add_of_system(around, system_path(around, folder), out);
        if (const std::string home = config_home(around); !home.empty())
            add_with_drop_ins(home + "/containers/containers.conf", out);
    }
    if (const std::string last = variable(around, "CONTAINERS_CONF_OVERRIDE"); !last.empty()) {
        if (!file_exists(last)) fail("CONTAINERS_CONF_OVERRIDE: " + last + ": no such file");
        out.push_back(last);
    }
    return out;
}

Known read_known(const Surroundings& around) {
    Known out;
    for (const std::string& path : containers_conf_files(around))
        if (const std::optional<std::string> text = read_small_file(path))
            merge_containers_conf(path, *text, out);

    std::string path = variable(around, "PODMAN_CONNECTIONS_CONF");
    if (path.empty())
        if (const std::string home = config_home(around); !home.empty())
            path = home + "/containers/podman-connections.json";
    if (path.empty()) return out;
    Known newer = read_connections_json(path);
    if (!newer.fallback.empty()) out.fallback = std::move(newer.fallback);
    for (auto& [name, each] : newer.connections) out.connections[name] = std::move(each);
    return out;
}

/// The file name of the socket of a machine, as podman names it.
std::string socket_name(std::string machine) {
    if (machine.ends_with("-root"))
        machine.resize(machine.size() - 5); // the same machine, by its other connection
    return machine + "-api.sock";
}

/// Where podman on a Mac keeps the sockets of its machines.
std::string temporary_folder(const Surroundings& around) {
    std::string out = variable(around, "TMPDIR");
    if (!out.starts_with('/')) return system_path(around, "/tmp");
    while (out.size() > 1 && out.ends_with('/')) out.pop_back();
    return out;
}

} // namespace

std::optional<PodmanConnection> podman_connection(const Surroundings& around, const std::string& name) {
    Known known = read_known(around);
    const std::string wanted = name.empty() ? known.fallback : name;
    if (wanted.empty()) return std::nullopt;
    const auto it = known.connections.find(wanted);
    if (it == known.connections.end())
        fail("podman has no connection \"" + wanted + "\" (podman system connection list)");
    it->second.name = wanted;
    return std::move(it->second);
}

Candidate from_connection(const Surroundings& around, const std::string& source,
                          const PodmanConnection& connection) {
    Candidate out = said(source, connection.uri);
    if (!out.endpoint) return out;
    if (connection.machine)
        for (const std::string& socket : machine_sockets(around))
            if (file_exists(socket) && socket.ends_with('/' + socket_name(connection.name)))
                return said(source + " (the machine's own socket)", "unix://" + socket);
    if (out.endpoint->kind == runtime_api::Endpoint::Kind::ssh)
        out.endpoint->key_file =
            connection.identity.empty() ? variable(around, "CONTAINER_SSHKEY") : connection.identity;
    if (!connection.ca.empty() || !connection.cert.empty() || !connection.key.empty()) {
        TlsFiles files;
        files.ca = connection.ca;
        files.cert = connection.cert;
        files.key = connection.key;
        add_tls(out, files);
    }
    return out;
}

std::vector<std::string> machine_sockets(const Surroundings& around) {
    std::vector<std::string> folders = runtime_dirs(around);
    if (around.macos) folders.push_back(temporary_folder(around));
    std::vector<std::string> out;
    for (const std::string& folder : folders)
        for (std::string& each : files_in(folder + "/podman", "-api.sock")) out.push_back(std::move(each));
    if (around.home.empty()) return out;
    const std::string machines = around.home + "/.local/share/containers/podman/machine";
    for (const char* each : {"/podman.sock", "/qemu/podman.sock", "/podman-machine-default/podman.sock"})
        if (file_exists(machines + each)) out.push_back(machines + each);
    if (out.empty()) out.push_back(machines + "/podman.sock");
    return out;
}

} // namespace engines::discovery
