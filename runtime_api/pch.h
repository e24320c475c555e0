#pragma once
// Headers that nearly every file needs and that take seconds to compile. Only to save time:
// each file still includes what it uses.
#include <boost/asio.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
