#include "src/sandbox/pinned_image.h"

#include <algorithm>
#include <vector>

#include "runtime_api/image_name.h"

namespace sandbox {
namespace asio = boost::asio;
using runtime_api::full_repository;
using runtime_api::ImageInfo;

namespace {

constexpr std::size_t most_named = 4;

std::string digest_in(const std::string& reference) {
    const std::size_t at = reference.find('@');
    return at == reference.npos ? "" : reference.substr(at + 1);
}

// podman leaves out the algorithm.
std::string id_as_digest(const ImageInfo& image) {
    return image.id.find(':') == image.id.npos ? "sha256:" + image.id : image.id;
}

bool has_name(const ImageInfo& image, const std::string& reference) {
    const std::string wanted = full_repository(reference);
    const auto same = [&](const std::string& each) { return full_repository(each) == wanted; };
    return std::any_of(image.names.begin(), image.names.end(), same) ||
           std::any_of(image.digests.begin(), image.digests.end(), same);
}

} // namespace

bool is_pinned_to(const std::string& reference, const ImageInfo& image) {
    const std::string digest = digest_in(reference);
    if (digest.empty() || !has_name(image, reference)) return false;
    const auto same = [&](const std::string& each) { return digest_in(each) == digest; };
    return digest == id_as_digest(image) || std::any_of(image.digests.begin(), image.digests.end(), same);
}

std::string pin_of(const ImageInfo& image, const std::string& reference) {
    if (!has_name(image, reference))
        return image.digests.empty() ? id_as_digest(image) : image.digests.front();
    const std::string name = full_repository(reference);
    if (is_pinned_to(reference, image)) return name + '@' + digest_in(reference);
    for (const std::string& each : image.digests)
        if (full_repository(each) == name) return name + '@' + digest_in(each);
    return name + '@' + id_as_digest(image);
}

asio::awaitable<std::optional<FoundImage>> find_image(std::shared_ptr<runtime_api::Engine> engine,
                                                      std::string reference) {
    std::optional<ImageInfo> there = co_await engine->image(reference);
    std::string name = reference;
    if (!there && !digest_in(reference).empty()) {
        const std::vector<ImageInfo> all = co_await engine->images();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const ImageInfo& each) { return is_pinned_to(reference, each); });
        if (found != all.end()) name = found->id;
        if (found != all.end()) there = co_await engine->image(name); // with what it sets
    }
    std::optional<FoundImage> result;
    if (there) result = FoundImage{*there, name};
    co_return result;
}

asio::awaitable<std::string> others_of_that_name(std::shared_ptr<runtime_api::Engine> engine,
                                                 std::string reference) {
    std::string text;
    if (digest_in(reference).empty()) co_return text;
    const std::vector<ImageInfo> all = co_await engine->images();
    std::size_t named = 0;
    for (const ImageInfo& each : all) {
        if (!has_name(each, reference) || named++ >= most_named) continue;
        text += (text.empty() ? "; under that name the engine has " : ", ") +
                pin_of(each, full_repository(reference));
        if (!each.names.empty()) text += " (" + each.names.front() + ")";
    }
    if (named > most_named) text += " and " + std::to_string(named - most_named) + " more";
    co_return text;
}

} // namespace sandbox
