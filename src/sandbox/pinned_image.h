#pragma once
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "runtime_api/engine.h"

/// Images named by what they are, "name@sha256:…", so that a tag which moved changes nothing. The digest is a
/// registry's, which engines keep for what they pulled, or the image's own id: one that was built here has
/// nothing else on Docker.
namespace sandbox {

struct FoundImage {
    runtime_api::ImageInfo info;
    std::string name; ///< What create() is given: the reference, or an id where the engine finds it by that.
};

/// The image of a reference. nullopt: the engine has none, or none of that digest. Throws
/// runtime_api::Error.
boost::asio::awaitable<std::optional<FoundImage>> find_image(std::shared_ptr<runtime_api::Engine> engine,
                                                             std::string reference);

/// Of a reference with a digest that the engine does not have: what it has under that name, as a sentence
/// that begins with "; "; else "".
boost::asio::awaitable<std::string> others_of_that_name(std::shared_ptr<runtime_api::Engine> engine,
                                                        std::string reference);

/// What names this very image: "localhost/cordon-python@sha256:…", with the reference's name if the image has
/// it. Pure.
std::string pin_of(const runtime_api::ImageInfo& image, const std::string& reference);

/// Whether a reference with a digest means this image. Pure.
bool is_pinned_to(const std::string& reference, const runtime_api::ImageInfo& image);

} // namespace sandbox
