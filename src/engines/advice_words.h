#pragma once
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>

#include "src/base/text.h"
#include "src/engines/advice.h"

namespace engines {

/// The words of one error, to be searched without regard to case.
class Words {
public:
    explicit Words(std::string text) : text_(base::lower(std::move(text))) {}

    /// parts are in lower case.
    bool any(std::initializer_list<const char*> parts) const {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const char* part) { return text_.find(part) != std::string::npos; });
    }

private:
    std::string text_;
};

/// What the words of an engine behind https:// or tcp:// point to.
std::optional<Advice> advice_on_tls(const runtime_api::Endpoint& endpoint, const std::string& text);

/// A Unix socket of this host that this user may not open.
std::optional<Advice> advice_on_permission(const Host& host, const runtime_api::Endpoint& endpoint,
                                           const Words& words);

/// What the words of a pull that failed point to.
std::optional<Advice> advice_on_pull(const Words& words);

} // namespace engines
