#include "src/cli/help.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/cli/flags.h"
#include "src/config/settings.h"

namespace cli {
namespace {

constexpr std::size_t left_width = 33;

struct Command {
    std::string_view name;
    std::string_view usage;                     ///< Lines of how it is called, and what it does.
    std::array<std::string_view, 4> settings{}; ///< Lists of those that matter to it; none: all.
};

constexpr std::string_view engine =
    " runtime-socket runtime allow-rootful allow-plain-tcp runtime-tls-ca runtime-tls-cert runtime-tls-key "
    "runtime-tls-verify pull-timeout image state-dir log-level ";
constexpr std::string_view container = " memory pids cpus container-user confinement oci-runtime ";
constexpr std::string_view upstream =
    " servers servers-config pass-env allow-self-server policy deny ask allow ask-timeout ";
constexpr std::string_view files = " state-dir log-level ";
constexpr std::string_view runs = " timeout max-timeout max-output saved-tools ";
constexpr std::string_view at_once = " max-containers ";

constexpr Command commands[] = {
    {"serve",
     "cordon serve [--http HOST:PORT]\n"
     "The MCP server: on stdin and stdout, for a client that starts it, or over HTTP at /mcp.\n"
     "A client is told of it by: claude mcp add cordon -- /path/to/cordon serve\n",
     {}},
    {"exec",
     "cordon exec [FLAG]… FILE [ARGUMENT]…      (- is standard input)\n"
     "cordon exec [FLAG]… -c CODE [ARGUMENT]…\n"
     "cordon exec [FLAG]… --session NAME FILE… one interpreter for all, which ends with the command\n"
     "Runs Python in a container of its own: its output, its exit status. Files left in\n"
     "/workspace/artifacts become new files cordon-… of the current folder, as pictures do.\n"
     "ARGUMENTs are sys.argv[1:]; -- before them where they look like Cordon's flags.\n"
     "--json: one object on stdout with status, exitCode, stdout, stderr, value, files, …\n",
     {engine, container, upstream, runs}},
    {"doctor",
     "cordon doctor [--json] [--self-test]\n"
     "What was found, what is enforced, what to do. Exit status 0 only where code would run.\n",
     {engine, container, upstream, at_once}},
    {"self-test",
     "cordon self-test [--json]\n"
     "The same as doctor --self-test: attacks this host's containers with the suite, some two minutes "
     "long.\n",
     {engine, container, upstream, at_once}},
    {"servers",
     "cordon servers [--json]\n"
     "The upstream servers, where each is from, its tools, and what cannot be used and why.\n"
     "cordon servers accept [--json] [NAME… | --all]\n"
     "Shows what would run for these servers, and accepts them: where a server can change Cordon's own\n"
     "files, one that is new or changed is not started before. Without a name: shows those that wait.\n",
     {upstream, files}},
    {"policy",
     "cordon policy [--json]\n"
     "The rules in force, in the order in which they are looked at.\n"
     "cordon policy test [--json] SERVER.TOOL [ARGUMENTS]\n"
     "What would become of that call, and by which rule; ARGUMENTS is a JSON object. Nothing is called.\n"
     "Exit status 0: allowed, 1: refused, 3: asked.\n",
     {upstream, files}},
    {"image",
     "cordon image list (or ls) [--json]        what the engine has; * is the one that runs use\n"
     "cordon image pull [REFERENCE]             fetch it, or fetch it anew\n"
     "cordon image use REFERENCE|default        the one that runs use from now on\n"
     "cordon image build python|datascience [--suite RELEASE]   one from Debian's packages, without a "
     "registry\n"
     "cordon image rm REFERENCE                 remove it from the engine\n",
     {engine}},
    {"sweep",
     "cordon sweep\n"
     "Removes the containers that dead instances left (each start of serve does, too).\n",
     {engine}},
};

std::string padded(std::string left) {
    left.resize(std::max(left.size() + 1, left_width), ' ');
    return left;
}

std::string short_argument(std::string_view flag, std::string_view argument) {
    return "  --" + std::string(flag) + (argument.empty() ? "" : " " + std::string(argument));
}

bool named(std::string_view list, std::string_view name) {
    return list.find(' ' + std::string(name) + ' ') != std::string_view::npos;
}

std::string settings_text(const std::array<std::string_view, 4>& lists) {
    std::string text;
    for (const config::Setting& setting : config::settings_table()) {
        const auto has = [&](std::string_view list) { return named(list, setting.flag); };
        if (!lists[0].empty() && std::none_of(lists.begin(), lists.end(), has)) continue;
        text += padded(short_argument(setting.flag, setting.argument)) + std::string(setting.help) + '\n' +
                padded("") + config::short_variable(setting) + ", default " + std::string(setting.fallback) +
                '\n';
    }
    return text;
}

std::string text_of(const Command& command) {
    std::string text(command.usage);
    std::string own;
    for (const Flag& flag : flags_table())
        if (named(flag.commands, command.name))
            own += padded(short_argument(flag.name, flag.argument)) + std::string(flag.help) + '\n';
    if (!own.empty()) text += "\nFlags:\n" + own;
    text += "\nSettings, each a flag and a variable (the flag wins):\n" + settings_text(command.settings);
    return text;
}

std::string escaped_bars(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
        text.replace(at, 1, "\\|");
    return text;
}

} // namespace

std::string help_text(const std::string& word) {
    const std::string name = word == "run" ? "serve" : word;
    for (const Command& command : commands)
        if (command.name == name) return text_of(command);
    if (!word.empty()) return {};
    return "cordon: Python that a model wrote, in a sealed container, as one MCP tool\n\n"
           "  cordon serve                     the MCP server on stdio (also: cordon run); --http HOST:PORT "
           "instead\n"
           "  cordon exec FILE [ARGUMENT]…     run a file (- is standard input), or -c CODE: its output, its "
           "exit "
           "status\n"
           "  cordon doctor [--json]           what was found, what is enforced, what to do\n"
           "  cordon self-test [--json]        the attack suite, on this host (some two minutes)\n"
           "  cordon servers [--json]          the upstream servers and their tools; accept NAME: one that "
           "waits for it\n"
           "  cordon policy [--json]           which tools code may call; test SERVER.TOOL [JSON]: what "
           "would become "
           "of it\n"
           "  cordon image list|pull|use|build|rm  the images that the engine has; another one; one without "
           "a "
           "registry\n"
           "  cordon sweep                     remove what dead instances left\n"
           "  cordon COMMAND --help            the flags of that command\n\n"
           "Settings, each a flag and a variable (the flag wins; MCP_BRIDGE_NAME is heard as CORDON_NAME "
           "is):\n" +
           settings_text({});
}

std::string settings_markdown() {
    std::string text = "| flag | variable | default | meaning |\n|---|---|---|---|\n";
    for (const config::Setting& setting : config::settings_table()) {
        const std::string argument = escaped_bars(std::string(setting.argument));
        text += "| `--" + std::string(setting.flag) + (argument.empty() ? "" : " " + argument) + "` | `" +
                config::short_variable(setting) + "` | " + std::string(setting.fallback) + " | " +
                std::string(setting.help) + " |\n";
    }
    return text;
}

} // namespace cli
