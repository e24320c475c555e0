#include "runtime_api/image_name.h"

#include <doctest/doctest.h>

TEST_CASE("split_reference: tags, digests and ports are told apart") {
    struct Case {
        const char* reference;
        const char* repository;
        const char* tag;
        const char* plain;
    };
    const Case table[] = {
        {"python", "python", "latest", "python"},
        {"python:3.14-slim", "python", "3.14-slim", "python:3.14-slim"},
        {"localhost:5000/a/b", "localhost:5000/a/b", "latest", "localhost:5000/a/b"},
        {"localhost:5000/a/b:c", "localhost:5000/a/b", "c", "localhost:5000/a/b:c"},
        {"a@sha256:12", "a", "sha256:12", "a@sha256:12"},
        {"h:1/a:t@sha256:12", "h:1/a", "sha256:12", "h:1/a@sha256:12"},
    };
    for (const Case& each : table) {
        CAPTURE(each.reference);
        const runtime_api::ImageName name = runtime_api::split_reference(each.reference);
        CHECK(name.repository == each.repository);
        CHECK(name.tag == each.tag);
        CHECK(runtime_api::without_needless_tag(each.reference) == each.plain);
    }
}

TEST_CASE("full_repository: short names are Docker's, everything else has its registry") {
    struct Case {
        const char* reference;
        const char* registry;
        const char* full;
    };
    const Case table[] = {
        {"python:3.14", "", "docker.io/library/python"},
        {"me/python", "", "docker.io/me/python"},
        {"docker.io/python", "docker.io", "docker.io/library/python"},
        {"index.docker.io/me/x:1", "index.docker.io", "docker.io/me/x"},
        {"quay.io/a/b@sha256:12", "quay.io", "quay.io/a/b"},
        {"localhost/x", "localhost", "localhost/x"},
        {"h:5000/x:1", "h:5000", "h:5000/x"},
    };
    for (const Case& each : table) {
        CAPTURE(each.reference);
        CHECK(runtime_api::registry_of(each.reference) == each.registry);
        CHECK(runtime_api::full_repository(each.reference) == each.full);
    }
}

TEST_CASE("same_image: however it is written") {
    CHECK(runtime_api::same_image("python", "docker.io/library/python:latest"));
    CHECK(!runtime_api::same_image("python:3", "docker.io/library/python:latest"));
    CHECK(!runtime_api::same_image("localhost/python", "python"));
}
