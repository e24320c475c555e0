#include "src/config/servers.h"
#include "tests/fuzz/fuzz.h"

// A list of servers, however broken, gives entries with a name, an alias and either a way to start them or a
// reason why not.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    config::ServerSources sources;
    sources.surroundings.environment = {{"FOO", "foo"}, {"EMPTY", ""}};
    sources.surroundings.home = "/home/nobody";
    config::ServerList list;
    config::read_servers(std::string(fuzz::view(data, size)), "a.json", sources, list);
    for (const config::ServerEntry& entry : list.servers) {
        fuzz::promise(!entry.name.empty());
        fuzz::promise(!entry.reason.empty() || !entry.argv.empty() || !entry.url.empty());
    }
    return 0;
}
