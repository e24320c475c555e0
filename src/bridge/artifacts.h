#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bridge {

/// Files that code left in /workspace/artifacts, kept in memory for as long as their client is connected: 8
/// MiB a file, 64 MiB and 1,000 files a client, the newest kept.
class Artifacts {
public:
    static constexpr std::size_t most_file_bytes = 8u << 20;
    static constexpr std::size_t most_client_bytes = 64u << 20;
    static constexpr std::size_t most_client_files = 1000; ///< Empty ones take no bytes.

    struct File {
        std::string uri;
        std::string name; ///< As the code called it, made printable.
        std::string mime_type;
        std::string data;
    };

    /// Keeps one; gives its URI, which its name follows from. A name that this client has already is
    /// replaced. Throws json::Error where the base64 is none.
    std::string keep(const std::string& client, const std::string& name, const std::string& base64);
    std::vector<const File*>
    of(const std::string& client) const; ///< Valid until the next call that changes anything.
    const File* find(const std::string& client, const std::string& uri) const;
    void forget(const std::string& client);

private:
    std::map<std::string, std::deque<File>> files_;
};

/// The MIME type by a file name's ending; application/octet-stream where unknown.
std::string mime_type_of(const std::string& name);

} // namespace bridge
