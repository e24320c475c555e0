#include "src/sandbox/container_users.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <vector>

#include "src/sandbox/confinement.h"

using sandbox::ContainerUsers;

TEST_CASE("ContainerUsers: each its own, from the range for dynamic users, begun at random") {
    ContainerUsers users;
    std::vector<ContainerUsers::User> taken;
    std::set<std::string> texts, starts;
    for (int i = 0; i < 1024; ++i) taken.push_back(users.take());
    for (const auto& each : taken) {
        const std::string text = each.text();
        texts.insert(text);
        const auto id = std::stoll(text);
        CHECK(id >= 61184);
        CHECK(id <= 65519);
        CHECK(text == std::to_string(id) + ":" + std::to_string(id));
    }
    CHECK(texts.size() == 1024);
    for (int i = 0; i < 20; ++i) starts.insert(ContainerUsers().take().text());
    CHECK(starts.size() > 10);
}

TEST_CASE("ContainerUsers: one that was given back comes last; with all taken, two share one") {
    ContainerUsers users;
    const std::string first = users.take().text();
    std::vector<ContainerUsers::User> taken;
    constexpr auto count = ContainerUsers::last - ContainerUsers::first + 1;
    for (auto i = 1; i < count; ++i) {
        taken.push_back(users.take());
        CHECK(taken.back().text() != first);
    }
    auto once_more = users.take();
    CHECK(once_more.text() == first);
    CHECK(users.take().text() != "0:0");
    taken.clear();
    CHECK(users.take().text() != first); // still taken
    once_more = {};
    auto outlives = std::make_unique<ContainerUsers>();
    const auto user = outlives->take();
    outlives.reset();
    CHECK(user.text() != "");
}

TEST_CASE("to_spec: who has a user of its own has a name without an entry of the image's") {
    const auto spec =
        sandbox::to_spec({.image = "i", .user = "61200:61200", .user_of_its_own = true}, "n", {}, "L");
    CHECK(spec.user == "61200:61200");
    CHECK(spec.env.at("LOGNAME") == "nobody");
    CHECK_FALSE(sandbox::to_spec({.image = "i"}, "n", {}, "L").env.contains("LOGNAME"));
}
