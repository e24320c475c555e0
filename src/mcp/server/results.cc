#include "src/mcp/server/results.h"

#include "src/base/base64.h"
#include "src/base/json.h"
#include "src/mcp/request_meta.h"

namespace mcp {
namespace {

void write_text(json::Writer& w, std::string_view name, const std::string& text) {
    if (!text.empty()) w.field(name, text);
}

void write_json(json::Writer& w, std::string_view name, const std::string& text) {
    if (!text.empty()) w.raw_field(name, text);
}

std::string info_json(const ServerInfo& info) {
    json::Writer w;
    w.object().field("name", info.name);
    write_text(w, "title", info.title);
    return w.field("version", info.version).end().take();
}

void write(json::Writer& w, const Tool& tool) {
    w.object().field("name", tool.name);
    write_text(w, "title", tool.title);
    write_text(w, "description", tool.description);
    w.raw_field("inputSchema", tool.input_schema.empty() ? R"({"type":"object"})" : tool.input_schema);
    write_json(w, "outputSchema", tool.output_schema);
    write_json(w, "annotations", tool.annotations);
    write_json(w, "_meta", tool.meta);
    w.end();
}

void write(json::Writer& w, const Resource& resource) {
    w.object().field("uri", resource.uri).field("name", resource.name);
    write_text(w, "title", resource.title);
    write_text(w, "description", resource.description);
    write_text(w, "mimeType", resource.mime_type);
    w.optional_field("size", resource.size_bytes).end();
}

// `_meta` of a modern result: its own members and who we are.
std::string with_server_info(std::string_view meta, const ServerInfo& info) {
    json::Writer w;
    w.object();
    for (const json::Member& m : json::members(meta))
        if (m.key != meta_key::server_info) w.raw_field(m.key, m.value);
    return w.raw_field(meta_key::server_info, info_json(info)).end().take();
}

bool reserved(int number) { return number >= -32099 && number <= -32000; }

bool defined_for(Era era, int number) {
    if (era == Era::legacy) return number == code::resource_not_found || number == code::unsupported_version;
    return number == code::header_mismatch || number == code::missing_client_capability ||
           number == code::unsupported_version;
}

} // namespace

std::string initialize_result(const ServerInfo& info, std::string_view version, std::string_view capabilities,
                              std::string_view instructions) {
    json::Writer w;
    w.object().field("protocolVersion", version).raw_field("capabilities", capabilities);
    w.raw_field("serverInfo", info_json(info));
    if (!instructions.empty()) w.field("instructions", instructions);
    return w.end().take();
}

std::string discover_result(std::string_view capabilities, std::string_view instructions) {
    json::Writer w;
    w.object().field("supportedVersions", modern_versions()).raw_field("capabilities", capabilities);
    if (!instructions.empty()) w.field("instructions", instructions);
    return w.end().take();
}

std::string tools_result(const std::vector<Tool>& tools) {
    json::Writer w;
    w.object().key("tools").array();
    for (const Tool& tool : tools) write(w, tool);
    return w.end().end().take();
}

std::string resources_result(const std::vector<Resource>& resources) {
    json::Writer w;
    w.object().key("resources").array();
    for (const Resource& resource : resources) write(w, resource);
    return w.end().end().take();
}

std::string read_result(const ResourceContent& content) {
    json::Writer w;
    w.object().key("contents").array().object().field("uri", content.uri);
    write_text(w, "mimeType", content.mime_type);
    if (content.binary)
        w.field("blob", base::base64(content.data));
    else
        w.field("text", content.data);
    return w.end().end().end().take();
}

std::string for_era(Era era, std::string result, const ServerInfo& info, bool cacheable) {
    if (era == Era::legacy) return result;
    std::string_view meta = "{}";
    std::string_view type = "\"complete\"";
    json::Writer w;
    w.reserve(result.size() + 256);
    w.object();
    for (const json::Member& m : json::members(result)) {
        if (m.key == "_meta")
            meta = m.value;
        else if (m.key == "resultType")
            type = m.value;
        else
            w.raw_field(m.key, m.value);
    }
    w.raw_field("resultType", type);
    if (cacheable) w.field("ttlMs", 0).field("cacheScope", "private");
    return w.raw_field("_meta", with_server_info(meta, info)).end().take();
}

jsonrpc::Error for_era(Era era, const jsonrpc::Error& error) {
    if (!reserved(error.code()) || defined_for(era, error.code())) return error;
    return jsonrpc::Error(jsonrpc::code::internal_error, error.what(), error.data());
}

} // namespace mcp
