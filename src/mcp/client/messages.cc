#include "src/mcp/client/messages.h"

#include <algorithm>

#include "src/base/json.h"
#include "src/mcp/client/headers.h"
#include "src/mcp/request_meta.h"

namespace mcp {
namespace {

using jsonrpc::Error;

constexpr std::size_t most_tool_bytes = std::size_t{1} << 20;
constexpr std::size_t most_description = 64 << 10;
constexpr std::size_t most_dropped = 50; // lines about tools of one page

[[noreturn]] void refuse(const std::string& why) { throw Error(jsonrpc::code::internal_error, why); }

void write_client_info(json::Writer& w) {
    w.object().field("name", "cordon").field("title", "Cordon").field("version", CORDON_VERSION).end();
}

void write_capabilities(json::Writer& w, bool elicits) {
    w.object();
    if (elicits) w.key("elicitation").object().key("form").object().end().end();
    w.end();
}

void write_meta(json::Writer& w, const RequestDress& dress) {
    if (dress.modern_version.empty() && !dress.progress_token) return;
    w.key("_meta").object();
    if (!dress.modern_version.empty()) {
        w.field(meta_key::protocol_version, dress.modern_version);
        write_capabilities(w.key(meta_key::client_capabilities), dress.elicits);
        write_client_info(w.key(meta_key::client_info));
    }
    if (dress.progress_token) w.field("progressToken", *dress.progress_token);
    w.end();
}

bool is(const std::optional<std::string_view>& value, json::Kind kind) {
    return value && json::kind(*value) == kind;
}

// The string member of a checked object, "" where it is none.
std::string text_of(std::string_view object, std::string_view key) {
    const auto value = json::member(object, key);
    return is(value, json::Kind::string) ? json::unquote(*value) : std::string();
}

std::string object_of(std::string_view object, std::string_view key) {
    const auto value = json::member(object, key);
    return is(value, json::Kind::object) ? std::string(*value) : std::string();
}

void read_capabilities(std::string_view result, ServerFacts& facts) {
    const std::string capabilities = object_of(result, "capabilities");
    const auto tools = json::member(capabilities, "tools");
    facts.tools = is(tools, json::Kind::object);
    facts.tools_change = facts.tools && json::member(*tools, "listChanged") == "true";
    facts.instructions = text_of(result, "instructions");
}

void read_server_info(const std::string& info, ServerFacts& facts) {
    facts.name = text_of(info, "name");
    facts.server_version = text_of(info, "version");
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
    return text.empty() ? "none" : text;
}

std::vector<std::string> strings_of(std::optional<std::string_view> array) {
    std::vector<std::string> found;
    for (const std::string_view each : json::elements(array.value_or("null")))
        if (json::kind(each) == json::Kind::string) found.push_back(json::unquote(each));
    return found;
}

bool any_of(const std::vector<std::string>& offered, const std::vector<std::string>& ours) {
    return std::any_of(ours.begin(), ours.end(), [&](const std::string& each) {
        return std::count(offered.begin(), offered.end(), each) > 0;
    });
}

// The era and version to go on with.
ServerFacts choose(const std::vector<std::string>& offered) {
    ServerFacts facts;
    for (const std::string& each : modern_versions()) {
        if (std::count(offered.begin(), offered.end(), each) == 0) continue;
        facts.era = Era::modern;
        facts.version = each;
        return facts;
    }
    if (any_of(offered, legacy_versions())) return facts;
    throw Error(mcp::code::unsupported_version,
                "it speaks protocol versions that we do not: " + joined(offered) +
                    " (ours: " + joined(modern_versions()) + ", " + joined(legacy_versions()) + ")");
}

// Why a tool cannot be used, or "".
std::string fault_of(std::string_view tool) {
    if (json::kind(tool) != json::Kind::object) return "it is not an object";
    if (tool.size() > most_tool_bytes) return "its definition is larger than 1 MiB";
    const std::string schema = object_of(tool, "inputSchema");
    if (schema.empty()) return {};
    const auto type = json::member(schema, "type");
    if (!type || *type == "null" || *type == "\"object\"") return {};
    const std::vector<std::string> types = strings_of(is(type, json::Kind::array) ? type : std::nullopt);
    if (std::count(types.begin(), types.end(), "object") > 0) return {};
    return "its inputSchema is not that of an object";
}

// What is odd with a tool that can be used all the same, or "".
std::string oddity_of(std::string_view tool) {
    const auto schema = json::member(tool, "inputSchema");
    if (is(schema, json::Kind::object)) return {};
    const std::string what =
        schema ? "its inputSchema is " + std::string(schema->substr(0, 40)) : "it has no inputSchema";
    return what + ", so it is taken as one that takes anything";
}

// At most `most` bytes, not cut within a character.
std::string cut_text(std::string_view text, std::size_t most) {
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
    return std::string(text.substr(0, most));
}

UpstreamTool read_tool(std::string_view text) {
    UpstreamTool tool{text_of(text, "name")};
    tool.description = text_of(text, "description");
    tool.input_schema = object_of(text, "inputSchema");
    if (tool.input_schema.empty()) tool.input_schema = "{}"; // none that can be read: it takes anything
    tool.output_schema = object_of(text, "outputSchema");
    tool.annotations = object_of(text, "annotations");
    tool.title = text_of(text, "title");
    if (tool.title.empty()) tool.title = text_of(tool.annotations, "title");
    tool.needs_task = text_of(object_of(text, "execution"), "taskSupport") == "required";
    return tool;
}

} // namespace

std::string initialize_params(bool elicits) {
    json::Writer w;
    w.object().field("protocolVersion", legacy_versions().front());
    write_capabilities(w.key("capabilities"), elicits);
    write_client_info(w.key("clientInfo"));
    return w.end().take();
}

std::string list_params(const RequestDress& dress, const std::optional<std::string>& cursor) {
    json::Writer w;
    w.object().optional_field("cursor", cursor);
    write_meta(w, dress);
    return w.end().take();
}

std::string call_params(const RequestDress& dress, std::string_view tool, std::string_view arguments,
                        const NextRound& round) {
    json::Writer w;
    w.reserve(arguments.size() + tool.size() + 512);
    w.object().field("name", tool).raw_field("arguments", arguments);
    if (!round.responses.empty()) w.raw_field("inputResponses", round.responses);
    if (!round.state.empty()) w.raw_field("requestState", round.state);
    write_meta(w, dress);
    return w.end().take();
}

std::string bare_params(const RequestDress& dress) { return list_params(dress, std::nullopt); }

std::string listen_params(const RequestDress& dress) {
    json::Writer w;
    w.object().key("notifications").object().field("toolsListChanged", true).end();
    write_meta(w, dress);
    return w.end().take();
}

ServerFacts read_initialize(std::string_view result) {
    if (json::kind(result) != json::Kind::object) refuse("its answer to initialize is not an object");
    ServerFacts facts;
    facts.version = text_of(result, "protocolVersion");
    if (!is_legacy_version(facts.version))
        refuse("it answered initialize with protocol version " + json::quote(facts.version) +
               ", which we do not speak (ours: " + joined(legacy_versions()) + ")");
    read_capabilities(result, facts);
    read_server_info(object_of(result, "serverInfo"), facts);
    return facts;
}

ServerFacts read_discover(std::string_view result) {
    if (json::kind(result) != json::Kind::object) refuse("its answer to server/discover is not an object");
    const auto versions = json::member(result, "supportedVersions");
    if (!is(versions, json::Kind::array))
        refuse("its answer to server/discover names no versions"); // some answer everything
    ServerFacts facts = choose(strings_of(versions));
    if (facts.era == Era::legacy) return facts;
    read_capabilities(result, facts);
    std::string info = object_of(object_of(result, "_meta"), meta_key::server_info);
    if (info.empty()) info = object_of(result, "serverInfo"); // where drafts of the version had it
    read_server_info(info, facts);
    return facts;
}

ServerFacts read_unsupported(const jsonrpc::Error& error) {
    return choose(strings_of(json::member(error.data().empty() ? "null" : error.data(), "supported")));
}

ToolPage read_tools(std::string_view result, bool with_headers, std::size_t most) {
    ToolPage page;
    const auto tell = [&page](std::string what) {
        if (page.dropped.size() < most_dropped) page.dropped.push_back(std::move(what));
    };
    const auto tools = json::member(result, "tools");
    if (!is(tools, json::Kind::array)) refuse("its answer to tools/list has no \"tools\"");
    for (const std::string_view each : json::elements(*tools)) {
        if (page.tools.size() >= most) break;
        std::string fault = fault_of(each);
        UpstreamTool tool = fault.empty() ? read_tool(each) : UpstreamTool{text_of(each, "name")};
        if (tool.name.empty() && fault.empty()) fault = "it has no name";
        if (with_headers && fault.empty()) fault = read_header_params(tool.input_schema, tool.header_params);
        const std::string what = "tool " + json::quote(tool.name.substr(0, 200));
        if (!fault.empty()) {
            tell(what + " is left out: " + fault);
            continue;
        }
        const std::string oddity = oddity_of(each);
        if (!oddity.empty()) tell(what + ": " + oddity);
        if (tool.description.size() > most_description) {
            tell(what + ": its description is cut at 64 KiB");
            tool.description = cut_text(tool.description, most_description);
        }
        page.tools.push_back(std::move(tool));
    }
    const auto cursor = json::member(result, "nextCursor");
    if (is(cursor, json::Kind::string)) page.next_cursor = json::unquote(*cursor);
    return page;
}

std::optional<NextRound> next_round(std::string_view result) {
    if (json::member(result, "resultType") != "\"input_required\"") return std::nullopt;
    const auto asked = json::members(json::member(result, "inputRequests").value_or("null"));
    NextRound round;
    round.state = std::string(json::member(result, "requestState").value_or(""));
    if (asked.empty() && round.state.empty()) refuse("the tool asks for input and does not say which");
    for (const json::Member& each : asked) {
        const std::string method = text_of(each.value, "method");
        if (method != "elicitation/create")
            refuse("the tool asks for " + json::quote(method.substr(0, 100)) + ", which cannot be had here");
        round.questions.emplace_back(each.key, json::member(each.value, "params").value_or("{}"));
    }
    return round;
}

void check_result(std::string_view result, bool modern) {
    if (json::kind(result) != json::Kind::object) refuse("the result is not an object");
    if (!modern) return;
    const auto type = json::member(result, "resultType");
    if (!type || *type == "\"complete\"") return;
    if (*type == "\"input_required\"") refuse("the tool asks for input, which cannot be had here");
    refuse("a result of an unknown type: " + std::string(type->substr(0, 100)));
}

std::optional<ProgressReport> read_progress(std::string_view params) {
    try {
        const json::Document document(params);
        const json::Reader root = document.root("params");
        ProgressReport report;
        root.read("progressToken", report.token);
        root.read("progress", report.done);
        double total = 0;
        if (root.read_optional("total", total)) report.total = total;
        root.read_optional("message", report.message);
        return report;
    } catch (const json::Error&) { // a server's slip; the call itself goes on
        return std::nullopt;
    }
}

} // namespace mcp
