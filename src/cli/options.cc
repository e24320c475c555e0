#include "src/cli/options.h"

#include <algorithm>
#include <filesystem>

#include "src/base/nearest.h"
#include "src/cli/help.h"

namespace cli {
namespace {

const std::vector<std::string> commands = {"serve",  "run",   "exec",  "doctor", "self-test", "servers",
                                           "policy", "image", "sweep", "help",   "version"};

std::string command_of(const CommandLine& line, const std::string& name) {
    if (line.words.empty()) {
        if (!line.programs.empty()) throw UsageError("-c is a flag of exec: cordon exec -c CODE");
        return name == "mcp-server-code-execution-mode" ? "serve" : "help"; // the seed had no commands
    }
    const std::string& word = line.words.front();
    std::error_code ignored;
    const bool is_file = word.ends_with(".py") || std::filesystem::is_regular_file(word, ignored);
    if (std::find(commands.begin(), commands.end(), word) != commands.end())
        return word == "run" ? (line.programs.empty() ? "serve" : "exec") : word;
    if (is_file)
        throw UsageError("there is no command \"" + word + "\"; to run that file: cordon exec " + word);
    throw UsageError(
        "there is no command \"" + word + "\"" + base::did_you_mean(word, commands) +
        ": expected serve, exec, doctor, self-test, servers, policy, image or sweep; see cordon --help");
}

bool takes(const Flag& flag, const std::string& command) {
    return flag.commands.empty() || flag.commands.find(' ' + command + ' ') != std::string_view::npos;
}

// A flag of another command is an error: it would have no effect.
void check_flags(const CommandLine& line, const std::string& command) {
    for (const Flag& flag : flags_table()) {
        const std::string name(flag.name);
        const bool is_tls = name == "tls-cert" || name == "tls-key"; // has words of its own
        if (line.has(name) && !takes(flag, command) && !is_tls)
            throw UsageError("--" + name + " has no meaning for " + command + ": it belongs to" +
                             std::string(flag.commands.substr(0, flag.commands.size() - 1)) +
                             "; see cordon " + command + " --help");
    }
}

void read_exec(Options& options, const CommandLine& line) {
    const bool has_session = line.has("session");
    if (line.programs.empty())
        throw UsageError("exec: expected a file, - for standard input, or -c CODE; see cordon exec --help");
    if (has_session && line.last("session").empty())
        throw UsageError("--session: expected a name, such as --session work first.py second.py");
    options.programs = line.programs;
    options.arguments = line.arguments;
    options.session = line.last("session");
    if (line.has("server")) options.servers = line.values.at("server");
}

void read_http(Options& options, const CommandLine& line) {
    options.http = line.last("http");
    options.http_no_token = line.on("http-no-token");
    options.tls_cert = line.last("tls-cert");
    options.tls_key = line.last("tls-key");
    const bool tls = !options.tls_cert.empty() || !options.tls_key.empty();
    if (tls && options.http.empty())
        throw UsageError(
            "--tls-cert and --tls-key are what serve --http shows its clients; what Cordon shows "
            "an https:// engine is --runtime-tls-cert and --runtime-tls-key");
    if (options.tls_cert.empty() != options.tls_key.empty())
        throw UsageError("--tls-cert and --tls-key go together: one of them is missing");
}

void read_image(Options& options, const CommandLine& line) {
    const std::vector<std::string>& words = line.words;
    const std::string said = words.size() > 1 ? words[1] : "list";
    const std::string action = said == "ls" ? "list" : said == "remove" ? "rm" : said;
    const std::string argument = words.size() > 2 ? words[2] : "";
    const std::vector<std::string> actions = {"list", "pull", "use", "build", "rm"};
    const bool known = std::find(actions.begin(), actions.end(), action) != actions.end();
    const bool flavour = argument == "python" || argument == "datascience";
    if (!known || words.size() > 3 || (action == "list" && !argument.empty()) ||
        ((action == "use" || action == "rm") && argument.empty()) || (action == "build" && !flavour))
        throw UsageError(
            "image" + (known ? " " + said : base::did_you_mean(said, actions)) +
            ": expected list (ls), pull [REFERENCE], use REFERENCE (or default), rm REFERENCE, or "
            "build python|datascience [--suite bookworm|trixie|…]");
    if (line.has("suite") && action != "build") throw UsageError("--suite belongs to image build");
    if (line.has("json") && action != "list") throw UsageError("--json belongs to image list");
    options.action = action;
    options.suite = line.last("suite");
    options.file = argument.empty() || action == "build" ? argument : config::image_reference(argument);
}

void read_servers(Options& options, const CommandLine& line) {
    const std::string action = line.words.size() > 1 ? line.words[1] : "";
    if (!action.empty() && action != "accept")
        throw UsageError("servers " + action + base::did_you_mean(action, {"accept"}) +
                         ": expected nothing behind it, or accept NAME…");
    options.all = line.on("all");
    if (options.all && action.empty()) throw UsageError("--all belongs to servers accept");
    if (options.all && line.words.size() > 2)
        throw UsageError("servers accept: expected names, or --all, and not both");
    options.action = action;
    if (!action.empty()) options.servers.assign(line.words.begin() + 2, line.words.end());
}

void read_policy(Options& options, const CommandLine& line) {
    const std::vector<std::string>& words = line.words;
    options.action = words.size() > 1 ? words[1] : "";
    const bool test = options.action == "test";
    const bool right = words.size() == 1 || (test && (words.size() == 3 || words.size() == 4));
    if (!right)
        throw UsageError("policy" + (words.size() > 1 ? ' ' + words[1] : "") +
                         (test || words.size() == 1 ? "" : base::did_you_mean(words[1], {"test"})) +
                         ": expected nothing behind it, or test SERVER.TOOL [ARGUMENTS], the arguments as a "
                         "JSON object in quotes of the shell");
    if (test) options.file = words[2];
    if (words.size() == 4) options.arguments = {words[3]};
}

void read_words(Options& options, const CommandLine& line) {
    if (options.command == "exec")
        read_exec(options, line);
    else if (options.command == "image")
        read_image(options, line);
    else if (options.command == "servers")
        read_servers(options, line);
    else if (options.command == "policy")
        read_policy(options, line);
    else if (line.words.size() > 1)
        throw UsageError(options.command + ": \"" + line.words[1] + "\" is one word too many");
}

// Variables with our name's beginning are others' too: of those only what nearly is a setting is told.
void warn_of_variable(Options& options, const std::string& name) {
    const bool is_long = name.starts_with("MCP_BRIDGE_");
    const std::string bare = name.substr(is_long ? 11 : 7);
    std::vector<std::string> all;
    for (const config::Setting& setting : config::settings_table())
        all.push_back(config::short_variable(setting).substr(7));
    const std::vector<std::string> near = base::nearest(bare, all, 1);
    if (near.empty() && !is_long) return;
    options.warnings.push_back(
        name + " is set, but there is no such setting" +
        (near.empty()
             ? ""
             : " (did you mean " + std::string(is_long ? "MCP_BRIDGE_" : "CORDON_") + near[0] + "?)") +
        "; see cordon --help");
}

std::string value_of(const CommandLine& line, const config::Setting& setting, const std::string& flag) {
    if (!setting.several) return line.last(flag);
    std::string all;
    for (const std::string& each : line.values.at(flag)) all += (all.empty() ? "" : ",") + each;
    return all;
}

void read_settings(Options& options, const CommandLine& line,
                   const std::map<std::string, std::string>& environment) {
    for (const std::string& unknown : config::apply_environment(options.settings, environment))
        warn_of_variable(options, unknown);
    for (const config::Setting& setting : config::settings_table()) {
        for (const std::string& flag : {std::string(setting.old_flag), std::string(setting.flag)})
            if (!flag.empty() && line.has(flag))
                config::apply(options.settings, setting, "--" + flag, value_of(line, setting, flag));
        if (setting.flag == "image")
            options.image_said_by =
                line.has("image") ? "--image" : config::variable_in_use(setting, environment);
    }
    config::settle(options.settings);
}

// The command whose help is asked for; throws for a word that is none.
std::string topic_of(const CommandLine& line) {
    const bool by_help = !line.words.empty() && line.words.front() == "help";
    const std::size_t at = by_help ? 1 : 0;
    const std::string topic = line.words.size() > at ? line.words[at] : "";
    if (topic == "version" || topic == "help") return {};
    if (help_text(topic).empty())
        throw UsageError("there is no command \"" + topic + "\"" + base::did_you_mean(topic, commands) +
                         "; see cordon --help");
    return topic;
}

} // namespace

Options read_options(const std::vector<std::string>& arguments, const std::string& name,
                     const std::map<std::string, std::string>& environment) {
    Options options;
    const CommandLine line = take_apart(arguments);
    options.command = line.on("help") ? "help" : line.on("version") ? "version" : command_of(line, name);
    if (options.command == "help" && line.on("settings-table")) options.command = "settings-table";
    if (options.command == "help") options.topic = topic_of(line);
    if (options.command == "help" || options.command == "version" || options.command == "settings-table")
        return options;
    check_flags(line, options.command);
    options.warnings = line.notes;
    read_settings(options, line, environment);
    read_words(options, line);
    config::check(options.settings);
    options.json = line.on("json");
    options.self_test = line.on("self-test") || options.command == "self-test";
    if (options.command == "self-test") options.command = "doctor";
    read_http(options, line);
    return options;
}

} // namespace cli
