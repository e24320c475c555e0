#include "src/schema/uri.h"

#include <algorithm>

namespace schema {

namespace {

/// A URI's parts, with their marks ("//host", "?query", "#fragment"), so that empty and absent differ.
struct Parts {
    std::string scheme, authority, path, query, fragment;
};

Parts split(std::string_view uri) {
    Parts parts;
    const auto cut = [&](std::size_t at) {
        at = std::min(at, uri.size());
        std::string tail(uri.substr(at));
        uri = uri.substr(0, at);
        return tail;
    };
    parts.fragment = cut(uri.find('#'));
    parts.query = cut(uri.find('?'));
    const std::size_t colon = uri.find(':');
    if (colon != std::string_view::npos && colon > 0 && colon < uri.find('/')) {
        parts.scheme = uri.substr(0, colon + 1);
        uri.remove_prefix(colon + 1);
    }
    if (uri.starts_with("//")) {
        const std::size_t end = std::min(uri.find('/', 2), uri.size());
        parts.authority = uri.substr(0, end);
        uri.remove_prefix(end);
    }
    parts.path = uri;
    return parts;
}

std::string join(const Parts& parts) {
    return parts.scheme + parts.authority + parts.path + parts.query + parts.fragment;
}

/// Takes "." and ".." out of a path.
std::string remove_dots(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/', 1), path.size());
        const std::string_view segment = path.substr(0, end);
        path.remove_prefix(end);
        const bool is_last = path.empty();
        if (segment == "/." || segment == ".") {
            if (is_last) out += '/';
        } else if (segment == "/.." || segment == "..") {
            out.erase(std::min(out.rfind('/'), out.size()));
            if (is_last) out += '/';
        } else {
            out += segment;
        }
    }
    return out;
}

} // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
    Parts to = split(reference);
    if (!to.scheme.empty()) return join(to);
    const Parts from = split(base);
    to.scheme = from.scheme;
    if (!to.authority.empty()) return join(to);
    to.authority = from.authority;
    if (to.path.empty()) {
        to.path = from.path;
        if (to.query.empty()) to.query = from.query;
    } else if (to.path.front() == '/') {
        to.path = remove_dots(to.path);
    } else {
        const std::size_t slash = from.path.rfind('/');
        const std::string folder =
            slash == std::string::npos ? (from.authority.empty() ? "" : "/") : from.path.substr(0, slash + 1);
        to.path = remove_dots(folder + to.path);
    }
    return join(to);
}

} // namespace schema
