#include <doctest/doctest.h>

#include <string>

#include "runtime_api/endpoint.h"
#include "runtime_api/error.h"
#include "src/base/percent.h"

using runtime_api::Endpoint;
using runtime_api::Errc;
using runtime_api::parse_endpoint;

namespace {

std::string refusal(const std::string& url) {
    try {
        parse_endpoint(url);
    } catch (const runtime_api::Error& e) {
        CHECK(e.code() == Errc::bad_endpoint);
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("parse_endpoint: reads each kind, and url() gives it back") {
    struct Good {
        const char* url;
        Endpoint::Kind kind;
        const char* path;
        const char* host;
        int port;
        const char* user;
        bool loopback;
    };
    using Kind = Endpoint::Kind;
    const Good table[] = {
        {"unix:///run/podman/podman.sock", Kind::unix_socket, "/run/podman/podman.sock", "", 0, "", true},
        {"unix:///a%20b/c%25", Kind::unix_socket, "/a b/c%", "", 0, "", true},
        {"tcp://127.0.0.1:2375", Kind::tcp, "", "127.0.0.1", 2375, "", true},
        {"tcp://127.255.1.2:1", Kind::tcp, "", "127.255.1.2", 1, "", true},
        {"tcp://LocalHost:1", Kind::tcp, "", "LocalHost", 1, "", true},
        {"tcp://localhost.evil.example:1", Kind::tcp, "", "localhost.evil.example", 1, "", false},
        {"tcp://localhost:65535", Kind::tcp, "", "localhost", 65535, "", true},
        {"tcp://[::1]:2375", Kind::tcp, "", "::1", 2375, "", true},
        {"tcp://[::ffff:127.0.0.1]:2375", Kind::tcp, "", "::ffff:127.0.0.1", 2375, "", true},
        {"tcp://[fe80::1%eth0]:2375", Kind::tcp, "", "fe80::1%eth0", 2375, "", false},
        {"tcp://10.0.0.1:2375", Kind::tcp, "", "10.0.0.1", 2375, "", false},
        {"tcp://128.0.0.1:2375", Kind::tcp, "", "128.0.0.1", 2375, "", false},
        {"https://engine.example:2376", Kind::https, "", "engine.example", 2376, "", false},
        {"ssh://me@host.example:2222/run/user/1000/podman/podman.sock", Kind::ssh,
         "/run/user/1000/podman/podman.sock", "host.example", 2222, "me", false},
        {"ssh://host", Kind::ssh, "", "host", 0, "", false},
        {"ssh://a.b-c_d@[2001:db8::1]/s", Kind::ssh, "/s", "2001:db8::1", 0, "a.b-c_d", false},
    };
    for (const Good& good : table) {
        CAPTURE(good.url);
        const Endpoint endpoint = parse_endpoint(good.url);
        CHECK(endpoint.kind == good.kind);
        CHECK(endpoint.path == good.path);
        CHECK(endpoint.host == good.host);
        CHECK(endpoint.port == good.port);
        CHECK(endpoint.user == good.user);
        CHECK(endpoint.loopback() == good.loopback);
        CHECK(endpoint.url() == good.url);
    }
    CHECK(parse_endpoint("HTTP://localhost:80/").url() == "tcp://localhost:80");
    CHECK(parse_endpoint("tcp://[fe80::1%25eth0]:1").host == "fe80::1%eth0");
    CHECK(parse_endpoint("ssh://host/").path.empty());
}

TEST_CASE("parse_endpoint: says what is wrong and what would be right") {
    struct Bad {
        const char* url;
        const char* says;
    };
    const Bad table[] = {
        {"", "empty"},
        {"/run/podman.sock", "unix:///run/podman.sock"},
        {"run/podman.sock", "scheme"},
        {"fd://3", "unknown scheme"},
        {"npipe:////./pipe/docker_engine", "named pipes"},
        {"unix://", "path is missing"},
        {"unix://run/podman.sock", "absolute"},
        {"unix:///a?b", "%3F"},
        {"unix:///a%zz", "hex"},
        {"unix:///a%2", "hex"},
        {"unix:///a%00b", "%00"},
        {"unix:///a%0Ab", "control"},
        {"tcp://host", "port is missing"},
        {"tcp://host:", "number"},
        {"tcp://host:0", "1 to 65535"},
        {"tcp://host:65536", "1 to 65535"},
        {"tcp://host:80x", "number"},
        {"tcp://:2375", "host is missing"},
        {"tcp://::1:2375", "brackets"},
        {"tcp://[::1:2375", "']'"},
        {"tcp://[nonsense]:2375", "IPv6"},
        {"tcp://[::1]2375", "follow the ']'"},
        {"tcp://host:2375/path", "nothing may follow"},
        {"tcp://me@host:2375", "no place"},
        {"tcp://localhost:1@evil.example:2375", "no place"},
        {"ssh://localhost:1@evil.example", "password"},
        {"https://host name:1", "letters"},
        {"ssh://-oProxyCommand=x/s", "'-'"},
        {"ssh://-oProxyCommand@host/s", "'-'"},
        {"ssh://%2DoProxyCommand@host/s", "'-'"},
        {"ssh://a;b@host/s", "letters"},
        {"ssh://host`id`/s", "letters"},
        {"ssh://@host/s", "empty"},
        {"ssh://", "host is missing"},
    };
    for (const Bad& bad : table) {
        CAPTURE(bad.url);
        CHECK(refusal(bad.url).find(bad.says) != std::string::npos);
    }
}

TEST_CASE("parse_endpoint: a socket's path may have 107 bytes and not 108") {
    CHECK(parse_endpoint("unix:///" + std::string(106, 'a')).path.size() == 107);
    CHECK(refusal("unix:///" + std::string(107, 'a')).find("107") != std::string::npos);
    CHECK(parse_endpoint("unix:///" + std::string(105, 'a') + "%20").path.size() ==
          107); // decoded bytes count
}

TEST_CASE("parse_endpoint: a password is never told back") {
    for (const char* url :
         {"ssh://me:secret@host/s", "tcp://me:secret@host:1", "https://me:secret@host:1",
          "odd://me:secret@host", "me:secret@host", "tcp://localhost:secret@evil.example:1"}) {
        CAPTURE(url);
        const std::string words = refusal(url);
        CHECK(!words.empty());
        CHECK(words.find("secret") == std::string::npos);
    }
    const std::string late = refusal("tcp://me:" + std::string(300, 's') + "@host:1"); // beyond what is shown
    CHECK(late.find("sss") == std::string::npos);
}

TEST_CASE("percent_encode: leaves nothing that a URL could take for its own") {
    CHECK(base::percent_encode("a/b?c=%&#\n\xC3\xA9~") == "a%2Fb%3Fc%3D%25%26%23%0A%C3%A9~");
    CHECK(base::percent_encode_path("a/b c") == "a/b%20c");
    CHECK(base::percent_decoded("a%2fb+%C3%A9") == "a/b+\xC3\xA9");
    for (const char* bad : {"%", "a%2", "%zz", "%%20"}) CHECK_FALSE(base::percent_decoded(bad));
}
