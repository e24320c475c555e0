#include "src/bridge/artifacts.h"

#include <algorithm>

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/base/text.h"

namespace bridge {
namespace {

constexpr std::pair<const char*, const char*> types[] = {
    {".txt", "text/plain"},        {".md", "text/markdown"},
    {".csv", "text/csv"},          {".tsv", "text/tab-separated-values"},
    {".json", "application/json"}, {".html", "text/html"},
    {".xml", "application/xml"},   {".py", "text/x-python"},
    {".png", "image/png"},         {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},       {".svg", "image/svg+xml"},
    {".gif", "image/gif"},         {".pdf", "application/pdf"},
    {".log", "text/plain"},
};

// What a URI may hold of a file name; all else percent-encoded.
std::string encoded(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool plain =
            base::is_letter(c) || base::is_digit(c) || c == '.' || c == '-' || c == '_' || c == '/';
        char hex[4];
        std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned char>(c));
        out += plain ? std::string(1, c) : std::string(hex);
    }
    return out;
}

} // namespace

std::string mime_type_of(const std::string& name) {
    for (const auto& [ending, type] : types)
        if (name.ends_with(ending)) return type;
    return "application/octet-stream";
}

std::string Artifacts::keep(const std::string& client, const std::string& name, const std::string& base64) {
    std::optional<std::string> data = base::base64_decoded(base64);
    if (!data) throw json::Error("artifact: expected base64");
    if (data->size() > most_file_bytes) throw json::Error("artifact: too large");
    std::deque<File>& files = files_[client];
    std::erase_if(files, [&](const File& f) { return f.name == name; });
    files.push_back(File{"artifact:///" + encoded(name), name, mime_type_of(name), std::move(*data)});
    std::size_t all = 0;
    for (const File& f : files) all += f.data.size();
    for (; all > most_client_bytes || files.size() > most_client_files; files.pop_front())
        all -= files.front().data.size();
    return files.back().uri;
}

std::vector<const Artifacts::File*> Artifacts::of(const std::string& client) const {
    std::vector<const File*> found;
    const auto it = files_.find(client);
    if (it == files_.end()) return found;
    for (const File& f : it->second) found.push_back(&f);
    return found;
}

const Artifacts::File* Artifacts::find(const std::string& client, const std::string& uri) const {
    for (const File* f : of(client))
        if (f->uri == uri) return f;
    return nullptr;
}

void Artifacts::forget(const std::string& client) { files_.erase(client); }

} // namespace bridge
