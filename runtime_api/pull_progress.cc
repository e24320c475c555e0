#include "runtime_api/pull_progress.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "runtime_api/engine_answer.h"
#include "runtime_api/error.h"
#include "src/base/base64.h"
#include "src/base/json.h"

namespace runtime_api {
namespace {

constexpr std::size_t max_layers = 1000;
constexpr std::size_t max_status = 200;

/// What one line says. Members of another kind than expected count as absent: only the error and the success
/// matter.
struct Line {
    std::string status; ///< Docker's; podman's "stream".
    std::string layer;
    std::string error;
    bool final_id = false;
    std::int64_t done = 0;
    std::int64_t total = 0;
};

std::string string_at(const json::Reader& in, std::string_view key) {
    const auto value = in.find(key);
    return value && value->is_string() ? value->as_string() : std::string();
}

std::int64_t number_at(const json::Reader& in, std::string_view key) {
    const auto value = in.find(key);
    if (!value || value->kind() != json::Kind::number) return 0;
    return std::max<std::int64_t>(static_cast<std::int64_t>(std::clamp(value->as_number(), 0.0, 1e15)), 0);
}

Line parse_line(std::string_view text) {
    const json::Document document(text, json::engine_depth);
    const json::Reader in = document.root("progress");
    if (!in.is_object()) in.fail("expected object");
    Line out;
    out.status = string_at(in, "status");
    if (out.status.empty()) out.status = string_at(in, "stream");
    out.layer = string_at(in, "id");
    out.final_id = out.status.empty() && !out.layer.empty();
    // "error" beside "errorDetail" is deprecated at Docker; podman has "error" alone.
    if (const auto detail = in.find("errorDetail"); detail && detail->is_object())
        out.error = string_at(*detail, "message");
    if (out.error.empty()) out.error = string_at(in, "error");
    if (const auto detail = in.find("progressDetail"); detail && detail->is_object()) {
        out.done = number_at(*detail, "current");
        out.total = number_at(*detail, "total");
    }
    return out;
}

bool says(const std::string& words, std::string_view phrase) {
    const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    return std::search(words.begin(), words.end(), phrase.begin(), phrase.end(), same) != words.end();
}

} // namespace

void PullReader::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        if (part.size() > max_line - line_.size())
            throw Error(Errc::too_large,
                        "a line of progress has more than " + std::to_string(max_line) + " bytes");
        line_ += part;
        if (end == std::string_view::npos) return;
        bytes.remove_prefix(end + 1);
        const std::string line = std::exchange(line_, std::string());
        take_line(line);
    }
}

void PullReader::take_line(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    Line said;
    try {
        said = parse_line(line);
    } catch (const json::Error& e) {
        throw Error(Errc::protocol, std::string("the engine's progress was not understood: ") + e.what());
    }
    if (!said.error.empty()) {
        failure_ = one_line(said.error);
        return;
    }
    have_image_ |= said.final_id;
    if (said.status.empty()) return;
    if (said.total > 0) count(said.layer, said.status, said.done, said.total);
    if (said.status == "Download complete" || said.status == "Pull complete")
        count(said.layer, said.status, 0, 0);
    report(one_line(said.layer.empty() ? said.status : said.status + ' ' + said.layer, max_status));
}

void PullReader::count(const std::string& layer, const std::string& status, std::int64_t done,
                       std::int64_t total) {
    const auto known = layers_.find(layer);
    if (status == "Downloading") {
        if (known == layers_.end() && layers_.size() >= max_layers) return;
        layers_[layer] = Layer{std::min(done, total), total};
    } else if (known != layers_.end()) { // it is there; what "Extracting" counts are the same bytes again
        known->second.done = known->second.total;
    }
}

void PullReader::report(std::string status) {
    if (!sink_) return;
    PullProgress progress;
    progress.status = std::move(status);
    if (!layers_.empty()) {
        progress.done = 0;
        progress.total = 0;
        for (const auto& [id, layer] : layers_) {
            *progress.done += layer.done;
            *progress.total += layer.total;
        }
    }
    sink_(progress);
}

void PullReader::finish(const std::string& attempted) {
    if (!line_.empty()) take_line(std::exchange(line_, std::string()));
    if (!failure_.empty()) throw Error(pull_errc(failure_), attempted + ": " + failure_);
    if (dialect_ == Dialect::libpod && !have_image_)
        throw Error(Errc::protocol, attempted + ": the engine ended without saying that it has the image");
}

Errc pull_errc(const std::string& words) {
    if (says(words, "unauthorized") || says(words, "denied") || says(words, "authentication required"))
        return Errc::rejected;
    if (says(words, "manifest unknown") || says(words, "not found") || says(words, "name unknown"))
        return Errc::not_found;
    return Errc::engine_fault;
}

std::vector<std::string> registry_auth_headers(Dialect dialect, const std::vector<RegistryAuth>& logins) {
    const RegistryAuth first = logins.empty() ? RegistryAuth() : logins.front();
    const bool alone = dialect == Dialect::docker || !first.identity_token.empty() ||
                       (first.server.empty() && !first.username.empty());
    std::vector<RegistryAuth> told;
    for (const RegistryAuth& each : alone ? std::vector<RegistryAuth>{first} : logins)
        if (!each.username.empty() || (alone && !each.identity_token.empty())) told.push_back(each);
    if (told.empty()) return {};
    json::Writer w;
    w.object();
    for (const RegistryAuth& each : told) {
        if (!alone) w.key(each.server).object();
        if (!each.username.empty()) w.field("username", each.username).field("password", each.password);
        if (!each.identity_token.empty()) w.field("identitytoken", each.identity_token);
        if (!each.server.empty()) w.field("serveraddress", each.server);
        if (!alone) w.end();
    }
    w.end();
    return {"X-Registry-Auth: " + base::base64url(w.str())};
}

} // namespace runtime_api
