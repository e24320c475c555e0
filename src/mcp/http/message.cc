#include "src/mcp/http/message.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace mcp {
namespace {

std::string_view reason(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 202:
        return "Accepted";
    case 204:
        return "No Content";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    case 415:
        return "Unsupported Media Type";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 501:
        return "Not Implemented";
    case 503:
        return "Service Unavailable";
    default:
        return "Status";
    }
}

std::string head(int status, const std::vector<std::pair<std::string, std::string>>& headers) {
    std::string out = "HTTP/1.1 " + std::to_string(status) + ' ' + std::string(reason(status)) + "\r\n";
    for (const auto& [name, value] : headers) out.append(name).append(": ").append(value).append("\r\n");
    return out;
}

} // namespace

bool HttpMessage::has(std::string_view name) const {
    return std::any_of(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; });
}

std::string HttpMessage::header(std::string_view name) const {
    const auto named = [&](const auto& each) { return each.first == name; };
    const auto first = std::find_if(headers.begin(), headers.end(), named);
    if (first == headers.end()) return {};
    if (std::find_if(first + 1, headers.end(), named) != headers.end())
        throw HttpRefused(error_reply(400, "the header " + std::string(name) + " is there more than once"));
    return first->second;
}

std::string HttpMessage::joined(std::string_view name) const {
    std::string all;
    for (const auto& [key, value] : headers)
        if (key == name) all += (all.empty() ? "" : ",") + value;
    return all;
}

HttpReply error_reply(int status, const jsonrpc::Error& error, std::string_view id) {
    return {status, {{"Content-Type", "application/json"}}, jsonrpc::error_line(id, error)};
}

HttpReply error_reply(int status, const std::string& message) {
    return error_reply(status, jsonrpc::Error(jsonrpc::code::invalid_request, message));
}

std::string reply_bytes(const HttpReply& reply, bool keep_alive) {
    std::string out = head(reply.status, reply.headers);
    if (reply.status != 204) out += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
    if (!keep_alive) out += "Connection: close\r\n";
    return out + "\r\n" + reply.body;
}

std::string stream_head(const std::vector<std::pair<std::string, std::string>>& headers, bool chunks) {
    return head(200, headers) + (chunks ? "Transfer-Encoding: chunked\r\n\r\n" : "Connection: close\r\n\r\n");
}

std::string chunk(std::string_view piece) {
    std::array<char, 20> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
    return size.data() + std::string(piece) + "\r\n";
}

std::string event_text(std::string_view line) {
    return "event: message\ndata: " + std::string(line) + "\n\n";
}

} // namespace mcp
