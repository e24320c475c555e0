#include "src/sandbox/pinned_image.h"

#include <doctest/doctest.h>

#include "runtime_api/image_json.h"

using runtime_api::ImageInfo;

namespace {

const std::string name = "localhost/cordon-python";

ImageInfo podmans() {
    return {.id = "3d29", .names = {name + ":bookworm"}, .digests = {name + "@sha256:62fb"}};
}

// One that was built here: no registry has named it.
ImageInfo dockers() { return {.id = "sha256:4440", .names = {name + ":bookworm"}}; }

} // namespace

TEST_CASE("is_pinned_to: the digest of the registry's or the id, and the name besides") {
    for (const std::string tag : {"", ":bookworm", ":other"}) {
        CHECK(sandbox::is_pinned_to(name + tag + "@sha256:62fb", podmans()));
        CHECK(sandbox::is_pinned_to(name + tag + "@sha256:3d29", podmans()));
        CHECK(sandbox::is_pinned_to(name + tag + "@sha256:4440", dockers()));
        CHECK_FALSE(sandbox::is_pinned_to(name + tag + "@sha256:62fb", dockers()));
        CHECK_FALSE(sandbox::is_pinned_to(name + tag, dockers()));
    }
    CHECK_FALSE(sandbox::is_pinned_to("localhost/other@sha256:4440", dockers()));
    CHECK_FALSE(sandbox::is_pinned_to(name + "@", dockers()));
}

TEST_CASE("pin_of: names this very image, by the reference's name where the image has it") {
    CHECK(sandbox::pin_of(podmans(), name) == name + "@sha256:62fb");
    CHECK(sandbox::pin_of(podmans(), name + ":bookworm") == name + "@sha256:62fb");
    CHECK(sandbox::pin_of(podmans(), name + "@sha256:3d29") == name + "@sha256:3d29");
    CHECK(sandbox::pin_of(dockers(), name + ":bookworm") == name + "@sha256:4440");
    CHECK(sandbox::pin_of(dockers(), "sha256:4440") == "sha256:4440");
    CHECK(sandbox::pin_of(podmans(), "3d29") == name + "@sha256:62fb");
    const ImageInfo pulled{.id = "sha256:1",
                           .names = {"python:3"},
                           .digests = {"mirror.example/py@sha256:2", "python@sha256:3"}};
    CHECK(sandbox::pin_of(pulled, "python:3") == "docker.io/library/python@sha256:3");
    CHECK(sandbox::pin_of(pulled, "docker.io/library/python:3") == "docker.io/library/python@sha256:3");
    CHECK(sandbox::pin_of(pulled, "mirror.example/py:3") == "mirror.example/py@sha256:2");
}

TEST_CASE("read_images: the digests that registries gave, where there are any") {
    const auto all = runtime_api::read_images(
        R"([{"Id":"1","RepoTags":["a:1"],"RepoDigests":["a@sha256:2","<none>@<none>"]},)"
        R"({"Id":"2","RepoTags":["b:1"],"RepoDigests":null},{"Id":"3","RepoTags":["c:1"]}])");
    REQUIRE(all.size() == 3);
    CHECK(all[0].digests == std::vector<std::string>{"a@sha256:2"});
    CHECK(all[1].digests.empty());
    CHECK(all[2].digests.empty());
}
