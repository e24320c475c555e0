#include "runtime_api/image_name.h"

namespace runtime_api {

ImageName split_reference(const std::string& reference) {
    ImageName out;
    const std::size_t at = reference.find('@');
    std::string name = reference.substr(0, at);
    const std::size_t slash = name.rfind('/');
    const std::size_t colon = name.rfind(':'); // before a slash it is a registry's port
    if (colon != std::string::npos && (slash == std::string::npos || colon > slash)) {
        out.tag = name.substr(colon + 1);
        name.resize(colon);
    }
    out.repository = name;
    if (at != std::string::npos) out.tag = reference.substr(at + 1); // the digest says more than the tag
    if (out.tag.empty()) out.tag = "latest";
    return out;
}

std::string without_needless_tag(const std::string& reference) {
    if (reference.find('@') == std::string::npos) return reference;
    const ImageName parts = split_reference(reference);
    return parts.repository + '@' + parts.tag;
}

std::string registry_of(const std::string& reference) {
    const std::size_t slash = reference.find('/');
    if (slash == std::string::npos) return "";
    const std::string first = reference.substr(0, slash);
    // as every engine has it: else the first part is a folder of the default registry
    return first == "localhost" || first.find_first_of(".:") != std::string::npos ? first : "";
}

std::string full_repository(const std::string& reference) {
    const std::string registry = registry_of(reference);
    std::string path = split_reference(reference).repository;
    if (!registry.empty()) path.erase(0, registry.size() + 1);
    const bool hub = registry.empty() || registry == "docker.io" || registry == "index.docker.io";
    if (hub && path.find('/') == std::string::npos) path = "library/" + path;
    return (hub ? "docker.io" : registry) + '/' + path;
}

bool same_image(const std::string& a, const std::string& b) {
    return full_repository(a) == full_repository(b) && split_reference(a).tag == split_reference(b).tag;
}

} // namespace runtime_api
