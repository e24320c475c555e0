#pragma once
#include "src/base/event.h"

namespace jsonrpc {
using base::after;
using base::Event;
} // namespace jsonrpc
