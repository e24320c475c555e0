#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace search {

/// A Python signature for a tool's input schema, required parameters first, for documentation only:
/// `create_issue(title: str, *, body: str | None = None, labels: list[str] = ...)`. Any schema, however odd,
/// gives something sensible and bounded (2,000 characters); parameters whose names are no identifiers are
/// shown under the names by which Python reaches them.
std::string python_signature(std::string_view alias, std::string_view input_schema);

/// The names of a schema's top-level properties, at most 200.
std::vector<std::string> parameter_names(std::string_view input_schema);

} // namespace search
