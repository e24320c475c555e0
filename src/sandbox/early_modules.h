#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sandbox {

/// Which Python modules a container imports while it waits, and what is known of them: the heavy ones that
/// programs in this image were seen to import. Kept in a file for each image, so that the next Cordon knows.
/// On the loop's thread.
///
/// Names come from code that was run, so they are hostile: they are bounded in form and number, and the guest
/// looks for them only where no program can write. What it tells of them comes before any code has run.
class EarlyModules {
public:
    struct Options {
        bool learn = true;                ///< From what programs import.
        std::vector<std::string> named{}; ///< By the user: imported first, whatever they cost.
        std::int64_t most_bytes = 0;      ///< Of a container's memory for them; 0: none is imported.
        std::string file{};               ///< Where it is kept; empty: nowhere.
    };

    struct Module {
        int uses = 0;          ///< Runs that imported it.
        int unused = 0;        ///< Runs since the last one that did.
        std::int64_t ms = -1;  ///< That its import took; negative: not tried.
        std::int64_t kib = 0;  ///< Of memory that its import took.
        std::string why_not{}; ///< It is not imported early, since this happened: it failed, or hung.
        bool light() const { return ms >= 0 && ms < light_below; }
    };

    /// Reads the file, if there is one; one that cannot be read or is damaged is as none.
    explicit EarlyModules(Options options);

    /// As the guest is sent it (src/guest/README.md): nothing where none is to be imported.
    std::string for_guest() const;

    /// A run has ended in which these were imported.
    void used(const std::vector<std::string>& names);
    /// A guest has imported one while it waited.
    void imported(const std::string& name, std::int64_t ms, std::int64_t kib);
    /// It could not.
    void failed(const std::string& name, const std::string& why);

    /// All that is known, by name.
    const std::map<std::string, Module>& modules() const { return modules_; }

    static constexpr std::int64_t light_below = 15; ///< ms: not worth a second worker.
    static constexpr int forgotten_after = 100;     ///< Runs without it.
    static constexpr std::size_t most_known = 64;
    static constexpr std::size_t most_imported = 8;

private:
    std::vector<std::string> chosen() const;
    void read();
    void write() const;

    Options options_;
    std::map<std::string, Module> modules_;
    mutable std::string written_; ///< What the file holds, by our knowledge.
};

} // namespace sandbox
