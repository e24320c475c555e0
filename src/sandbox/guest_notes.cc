#include "src/sandbox/guest_notes.h"

#include <optional>
#include <string_view>

#include "src/base/base64.h"
#include "src/base/workers.h"

namespace sandbox {
namespace {

constexpr std::size_t most_text = 18u << 20; // more, written as JSON, is above what any host shows

// A picture as our own worker writes it: a type, then its data or its text.
struct Picture {
    std::string type{};
    std::string content{};
    bool is_base64 = false;
};

// Hostile code can write megabytes of anything; only a picture is worth reading, and that takes one look.
std::optional<Picture> large_picture(std::string_view params) {
    constexpr std::string_view type_head = R"({"mime_type":")", data_head = R"(","data":)",
                               text_head = R"(","text":)";
    if (!params.starts_with(type_head) || !params.ends_with("\"}")) return std::nullopt;
    params.remove_prefix(type_head.size());
    const std::size_t type_end = params.substr(0, 200).find_first_of("\"\\");
    if (type_end == std::string_view::npos) return std::nullopt;
    Picture picture{.type = std::string(params.substr(0, type_end))};
    params.remove_prefix(type_end);
    picture.is_base64 = params.starts_with(data_head);
    if (!picture.is_base64 && !params.starts_with(text_head)) return std::nullopt;
    const std::string_view content = params.substr(data_head.size(), params.size() - data_head.size() - 1);
    if (content.size() < 2 || content.front() != '"') return std::nullopt;
    // One that is too long for anybody to show costs no time; it is counted as left out.
    picture.content = content.size() > most_text ? std::string(content) : json::unquote(content);
    return picture;
}

} // namespace

GuestNotes::GuestNotes(std::shared_ptr<Lessons> lessons, Sinks sinks)
    : lessons_(std::move(lessons)), sinks_(std::move(sinks)) {}

void GuestNotes::begin(std::shared_ptr<GuestHost> host, std::int64_t head, bool keep_output) {
    host_ = std::move(host);
    begun_ = true;
    head_ = head;
    keep_output_ = keep_output;
    out_.clear();
    err_.clear();
}

void GuestNotes::take(const jsonrpc::Message& notification) {
    try {
        if (notification.method() == "display" && notification.params().size() > base::large_text) {
            std::optional<Picture> picture = large_picture(notification.params());
            if (picture && host_)
                host_->display(picture->type, std::move(picture->content), picture->is_base64);
            return;
        }
        const json::Document document(notification.params());
        take_one(notification.method(), document.root("params"));
    } catch (const json::Error&) { // nothing to show
    }
}

void GuestNotes::take_one(const std::string& method, const json::Reader& params) {
    if (method == "ready") return take_ready(params);
    if (method == "compiled") return take_compiled(params);
    if (method == "preloaded") return take_preloaded(params);
    if (method == "cancel") return sinks_.give_up(params.at("id").text());
    if (!host_) return; // what a session's threads say between executions
    if (method == "output")
        return take_output(params.at("stream").as_string() == "stderr", params.at("text").as_string());
    if (method == "tick") return host_->tick(params.at("line").as_string());
    if (method == "progress") return take_progress(params);
    if (method == "display") return take_display(params);
    if (method == "artifact") return take_artifact(params);
}

// Only from a guest in which no user code can have run yet.
void GuestNotes::take_compiled(const json::Reader& params) {
    const std::string text = params.at("data").as_string();
    if (!facts_.empty() || text.size() / 4 * 3 > Lessons::max_compiled_guest) return;
    if (std::optional<std::string> bytes = base::base64_decoded(text))
        lessons_->compiled_guest = std::move(*bytes);
}

// Only from a guest in which no user code can have run yet.
void GuestNotes::take_preloaded(const json::Reader& params) {
    if (begun_ || !lessons_->early_modules) return;
    std::string why;
    std::int64_t ms = 0, kib = 0;
    params.read_optional("why", why);
    params.read_optional("ms", ms);
    params.read_optional("kib", kib);
    const std::string name = params.at("name").as_string();
    why.empty() ? lessons_->early_modules->imported(name, ms, kib)
                : lessons_->early_modules->failed(name, why);
}

void GuestNotes::take_ready(const json::Reader& params) {
    if (!facts_.empty()) return;
    params.read("python", python_);
    facts_ = params.at("attestation").text();
    sinks_.ready();
}

void GuestNotes::take_output(bool is_err, const std::string& text) {
    if (!keep_output_) return host_->output(is_err, text);
    std::string& kept = is_err ? err_ : out_;
    // four bytes a character at most; a guest that sends more than it was allowed is not believed
    if (kept.size() + text.size() > static_cast<std::size_t>(head_) * 4 + 4) return;
    kept += text;
    host_->output(is_err, text);
}

void GuestNotes::take_progress(const json::Reader& params) {
    std::optional<double> total;
    std::string text;
    params.read_optional("total", total);
    params.read_optional("message", text);
    host_->progress(params.at("done").as_number(), total, text);
}

void GuestNotes::take_display(const json::Reader& params) {
    std::string text;
    const std::string type = params.at("mime_type").as_string();
    if (params.read_optional("data", text)) return host_->display(type, std::move(text), true);
    params.read("text", text);
    host_->display(type, json::valid_utf8(text), false);
}

void GuestNotes::take_artifact(const json::Reader& params) {
    std::optional<std::string> data;
    std::string skipped;
    params.read_optional("data", data);
    params.read_optional("skipped", skipped);
    host_->artifact(params.at("name").as_string(), std::move(data), std::move(skipped));
}

} // namespace sandbox
