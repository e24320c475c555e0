#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/config/servers_reach.h"

namespace config {

/// The entries of server lists that the user has accepted, as they were then.
struct AcceptedServers {
    struct Entry {
        std::string source{}; ///< The file, as ServerEntry has it.
        std::string name{};
        std::string fingerprint{};
    };
    std::vector<Entry> entries{};
    /// Once a server could change what Cordon starts, it may have changed its own entry since, too: so this
    /// stays until the user accepts something while no server can.
    bool watched = false;

    bool has(const ServerEntry& entry) const; ///< Exactly this, from whatever file.
    bool had(const ServerEntry& entry) const; ///< Another entry of this name, in this file.
    /// This one in the place of what the file had under its name. The oldest goes beyond 10,000.
    void take(const ServerEntry& entry);
};

/// SHA-256, in hex, of the entry's name and of all that its file says of it (blanks apart), as it is written
/// there: values of variables are not in it, so a token that changes changes nothing.
std::string fingerprint(const ServerEntry& entry);

/// The record as JSON and back. Throws json::Error. Pure.
std::string accepted_json(const AcceptedServers& record);
AcceptedServers read_accepted(const std::string& text);

/// The file that keeps the record, of mode 0600: in the state folder. A server that can write to the state
/// folder could write it, too. It is then kept where that server cannot: in /var/tmp/cordon-UID, a folder of
/// ours alone, under a name made of the state folder's. From then on that one counts, whatever is in the
/// state folder, until no server reaches that any more and the user accepts something.
class AcceptedFile {
public:
    /// `servers`: as configured, whatever is accepted of them. `elsewhere`: in the place of /var/tmp; for
    /// tests.
    AcceptedFile(const std::string& state_folder, const std::vector<ServerEntry>& servers,
                 const Surroundings& surroundings, const std::string& elsewhere = "/var/tmp");

    /// nullopt: there is none yet. One that cannot be believed (others could have written it) or not be read
    /// is empty and `watched`, and trouble() says why.
    std::optional<AcceptedServers> load();

    /// `at_rest`: no server reaches anything now, and the user has said so. Where it cannot be kept out of
    /// reach, it is kept in the state folder, and trouble() says so. Throws std::runtime_error where nothing
    /// can be kept.
    void save(const AcceptedServers& record, bool at_rest);

    const std::string& path() const { return path_; } ///< The one that counts now.
    /// What is wrong with the record, for a person; "" for nothing. After load() and save().
    const std::string& trouble() const { return trouble_; }

private:
    std::string in_state_, elsewhere_, path_, trouble_;
};

/// Judges the entries at a start, by the record, which is then brought up to date.
///
/// The first time, all that is there is accepted. From then on: while no server reaches a place of Cordon's
/// own, and none did before, what is new or changed is accepted, too; else each such entry is made unusable
/// and `waiting`, until the user has accepted it.
///
/// `accept_command` is "cordon servers accept" with the flags that name the same files. Gives what is to be
/// said at the start, a line each; nothing where no server reaches anything. Throws nothing: a record that
/// cannot be kept is one of the lines.
std::vector<std::string> judge_servers(std::vector<ServerEntry>& servers, const std::vector<Reach>& reach,
                                       AcceptedFile& file, const std::string& accept_command);

} // namespace config
