#include "runtime_api/image_json.h"

#include "src/base/json.h"

namespace runtime_api {
namespace {

constexpr const char* no_name = "<none>:<none>"; // Docker's word for it
constexpr const char* no_digest = "<none>@<none>";

ImageInfo read_common(const json::Reader& in) {
    ImageInfo out;
    in.read("Id", out.id);
    in.read_optional("RepoTags", out.names);
    std::erase(out.names, no_name);
    in.read_optional("RepoDigests", out.digests);
    std::erase(out.digests, no_digest);
    in.read_optional("Labels", out.labels);
    in.read_optional("Size", out.size_bytes);
    return out;
}

} // namespace

ImageInfo read_image(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("image");
    ImageInfo out = read_common(in);
    if (!in.has("Config")) return out;
    const json::Reader config = in.at("Config");
    config.read_optional("Labels", out.labels); // Docker has them here alone
    std::vector<std::string> variables;
    config.read_optional("Env", variables);
    for (const std::string& each : variables) {
        const std::size_t equals = each.find('=');
        if (equals == each.npos || equals == 0 || each.find('\0') != each.npos) continue;
        out.environment[each.substr(0, equals)] = each.substr(equals + 1);
    }
    return out;
}

std::vector<ImageInfo> read_images(const std::string& body) {
    const json::Document document(body, json::engine_depth);
    const json::Reader in = document.root("images");
    std::vector<ImageInfo> out;
    for (std::size_t i = 0; i < in.size(); ++i)
        if (ImageInfo image = read_common(in[i]); !image.names.empty()) out.push_back(std::move(image));
    return out;
}

std::vector<std::string> import_changes(const ImageImport& what) {
    std::vector<std::string> out;
    if (!what.command.empty()) {
        json::Writer command;
        command.value(what.command);
        out.push_back("CMD " + command.take());
    }
    for (const auto& [name, value] : what.labels) out.push_back("LABEL " + name + '=' + json::quote(value));
    return out;
}

} // namespace runtime_api
