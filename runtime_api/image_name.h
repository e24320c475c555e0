#pragma once
#include <string>
#include <vector>

/// Image references, taken apart. Pure.
namespace runtime_api {

/// An image reference as Docker's images/create wants it.
struct ImageName {
    std::string repository; ///< "localhost:5000/team/image"
    std::string tag;        ///< "latest", or "sha256:…" for a digest.
};

/// Splits a reference; without a tag it is "latest" (left out, Docker would pull them all).
ImageName split_reference(const std::string& reference);

/// "name@digest" for "name:tag@digest", of which podman before 5 would have no more; else as it is.
std::string without_needless_tag(const std::string& reference);

/// The registry that a reference names ("localhost:5000", "quay.io"); "" for a short name, of which the
/// engine decides where it comes from (Docker: docker.io; podman: its registries.conf).
std::string registry_of(const std::string& reference);

/// The repository with its registry, as logins are kept by: "docker.io/library/python" for "python" and
/// "python:3.14".
std::string full_repository(const std::string& reference);

/// Whether two references name one image: "python" and "docker.io/library/python:latest" do.
bool same_image(const std::string& a, const std::string& b);

} // namespace runtime_api
