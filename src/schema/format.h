#pragma once
#include <string_view>

namespace schema {

/// True unless text is surely not of that `format`. Lenient, since a server that is stricter says so itself:
/// a date-time may lack its zone. Formats that are not known are met by anything.
bool fits_format(std::string_view format, std::string_view text);

} // namespace schema
