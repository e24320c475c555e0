#include "src/bridge/secrets.h"

#include <doctest/doctest.h>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/base/percent.h"

using bridge::Secrets;

namespace {

const std::string token = "ghp_q7Zx\"81/ü+Lk";

Secrets one(std::map<std::string, std::string> env) {
    Secrets::Server server;
    server.env = std::move(env);
    return Secrets({server});
}

} // namespace

TEST_CASE("Secrets: a value goes in each of its common spellings, and nothing else does") {
    const Secrets secrets = one({{"GITHUB_TOKEN", token}});
    CHECK(secrets.without("it said " + token + "!") == "it said [secret]!");
    CHECK(secrets.without(token + token) == "[secret][secret]");
    const std::string quoted = json::quote("a " + token + " b");
    CHECK(secrets.without(quoted) == "\"a [secret] b\"");
    CHECK(secrets.without(json::quote(quoted)) == R"("\"a [secret] b\"")");
    CHECK(secrets.without(R"({"a":"ghp_q7Zx\"81/\u00fc+Lk"})") == R"({"a":"[secret]"})");
    CHECK(secrets.without(R"("{\"a\":\"ghp_q7Zx\\\"81/\\u00fc+Lk\"}")") == R"("{\"a\":\"[secret]\"}")");
    CHECK(secrets.without("?t=" + base::percent_encode(token)) == "?t=[secret]");
    for (const char* before : {"", "u", "us", "use", "user:"}) {
        for (const char* after : {"", "x", "xy"}) {
            CAPTURE(before);
            const std::string coded = base::base64(before + token + after);
            const std::string left = secrets.without("Basic " + coded);
            CHECK(left.find("[secret]") != std::string::npos);
            CHECK(left.size() < 30);
            CHECK(secrets.without(base::base64url(before + token + after)).find("[secret]") !=
                  std::string::npos);
        }
    }
    CHECK(secrets.without("6768705f71375a7822 38") == "6768705f71375a7822 38"); // the beginning of it alone
    const std::string plain = "nothing of it: ghp_q7Zx, a path /home/me, 12345678";
    CHECK(secrets.without(plain) == plain);
}

TEST_CASE("Secrets: what is a secret is told by its name or its looks") {
    const Secrets secrets = one({{"DATA_DIR", "/home/me/notes-and-more"},
                                 {"MODE", "production"},
                                 {"PORT", "8080"},
                                 {"PIN_KEY", "1234"},
                                 {"ACCOUNT", "a1b2c3d4e5f6a7b8c9"},
                                 {"PASSWORD", "correct horse"},
                                 {"OTP_SECRET", "90817263549081"}});
    CHECK(secrets.without("/home/me/notes-and-more production 8080 1234") ==
          "/home/me/notes-and-more production 8080 1234");
    CHECK(secrets.without("a1b2c3d4e5f6a7b8c9, correct horse") == "[secret], [secret]");
    CHECK(secrets.without(R"({"pin":90817263549081})") == R"({"pin":11111111111111})"); // still a number
}

TEST_CASE("Secrets: of headers and URLs, what lets somebody in") {
    Secrets::Server server;
    server.headers = {"Authorization: Bearer abcdefgh-ijkl", "X-Api-Key: 0123abcd-4567",
                      "Accept: application/json",
                      "Proxy-Authorization: Basic " + base::base64("me:open-sesame-7")};
    server.url = "https://user:pa%2Fss-word@mcp.example.com/"
                 "path?api_key=zzzz-yyyy-1&page=12345678&v=aaaabbbbccccdddd1";
    const Secrets secrets({server});
    CHECK(secrets.without("Bearer abcdefgh-ijkl / abcdefgh-ijkl") == "[secret] / [secret]");
    CHECK(secrets.without("0123abcd-4567") == "[secret]");
    CHECK(secrets.without("application/json") == "application/json");
    CHECK(secrets.without("open-sesame-7") == "[secret]");
    CHECK(secrets.without("pa%2Fss-word pa/ss-word") == "[secret] [secret]");
    CHECK(secrets.without("zzzz-yyyy-1 aaaabbbbccccdddd1 12345678") == "[secret] [secret] 12345678");
    CHECK(secrets.without("https://mcp.example.com/path") == "https://mcp.example.com/path");
}

TEST_CASE("Secrets: with none there is nothing to look for; bytes that are no text pass") {
    const Secrets none({});
    CHECK(none.without("a\xff" + std::string(1, '\0')) == "a\xff" + std::string(1, '\0'));
    const Secrets secrets = one({{"A_TOKEN", "abcdefghij"}});
    CHECK(secrets.without("\xff\xfe"
                          "abcdefghij\xff") == "\xff\xfe[secret]\xff");
}
