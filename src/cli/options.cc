#include "src/cli/options.h"

#include <algorithm>
// A file's name may hold a comma; cxxopts would cut it there.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>
#include <span>

namespace cli {
namespace {

constexpr const char* commands[] = {"serve", "run",   "exec", "doctor", "servers",
                                    "image", "sweep", "help", "version"};

bool is_switch(const config::Setting& setting) { return setting.argument.empty(); }

cxxopts::Options make_parser() {
    cxxopts::Options parser("cordon");
    auto add = parser.add_options();
    for (const config::Setting& setting : config::settings_table()) {
        const auto value = cxxopts::value<std::string>();
        if (is_switch(setting)) value->implicit_value("1");
        add(std::string(setting.flag), std::string(setting.help), value);
        if (!setting.old_flag.empty())
            add(std::string(setting.old_flag), std::string(setting.help), cxxopts::value<std::string>());
    }
    add("server", "exec: a server that the code may use", cxxopts::value<std::vector<std::string>>());
    add("suite", "image build: the Debian release", cxxopts::value<std::string>());
    add("json", "doctor, servers: for programs");
    add("self-test", "doctor: run the attack suite on this host");
    add("http", "serve: HOST:PORT instead of stdio", cxxopts::value<std::string>());
    add("http-no-token", "serve --http: ask for no token");
    add("tls-cert", "serve --http: certificate, PEM", cxxopts::value<std::string>());
    add("tls-key", "serve --http: its key, PEM", cxxopts::value<std::string>());
    add("settings-table", "help: the settings as Markdown");
    add("h,help", "help");
    add("version", "version");
    add("words", "command and file", cxxopts::value<std::vector<std::string>>());
    parser.parse_positional({"words"});
    return parser;
}

cxxopts::ParseResult parse(cxxopts::Options& parser, const std::vector<std::string>& arguments) {
    std::vector<const char*> argv = {"cordon"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    try {
        return parser.parse(static_cast<int>(argv.size()), argv.data());
    } catch (const std::exception& e) { // cxxopts names its own differently from version to version
        std::string what = e.what();
        for (const char* quote : {"‘", "’"}) { // cxxopts quotes with these
            for (std::size_t at = what.find(quote); at != std::string::npos; at = what.find(quote))
                what.replace(at, 3, "'");
        }
        throw UsageError(what + "; see cordon --help");
    }
}

std::string command_of(const std::vector<std::string>& words, const std::string& name) {
    if (words.empty())
        return name == "mcp-server-code-execution-mode" ? "serve" : "help"; // the seed had no commands
    const std::string& word = words.front();
    if (std::find(std::begin(commands), std::end(commands), word) == std::end(commands))
        throw UsageError("there is no command \"" + word +
                         "\": expected serve, exec, doctor, servers, image or sweep; see cordon --help");
    return word == "run" ? "serve" : word;
}

void read_exec(Options& options, const cxxopts::ParseResult& result, const std::vector<std::string>& words) {
    if (words.size() != 2) throw UsageError("exec: expected one file, or - for standard input");
    options.file = words[1];
    if (result.count("server")) options.servers = result["server"].as<std::vector<std::string>>();
}

void read_http(Options& options, const cxxopts::ParseResult& result) {
    const auto text = [&](const char* flag) {
        return result.count(flag) ? result[flag].as<std::string>() : std::string();
    };
    options.http = text("http");
    options.http_no_token = result.count("http-no-token") > 0;
    options.tls_cert = text("tls-cert");
    options.tls_key = text("tls-key");
    const bool tls = !options.tls_cert.empty() || !options.tls_key.empty();
    if (tls && options.http.empty())
        throw UsageError(
            "--tls-cert and --tls-key are what serve --http shows its clients; what Cordon shows "
            "an https:// engine is --runtime-tls-cert and --runtime-tls-key");
    if (options.tls_cert.empty() != options.tls_key.empty())
        throw UsageError("--tls-cert and --tls-key go together: one of them is missing");
}

void read_image(Options& options, const std::vector<std::string>& words) {
    const std::string action = words.size() > 1 ? words[1] : "list";
    const std::string argument = words.size() > 2 ? words[2] : "";
    const bool known = action == "list" || action == "pull" || action == "use" || action == "build";
    const bool flavour = argument == "python" || argument == "datascience";
    if (!known || words.size() > 3 || (action == "list" && !argument.empty()) ||
        (action == "use" && argument.empty()) || (action == "build" && !flavour))
        throw UsageError("image: expected list, pull [REFERENCE], use REFERENCE (or default), or "
                         "build python|datascience [--suite bookworm|trixie|…]");
    options.action = action;
    options.file = argument.empty() || action == "build" ? argument : config::image_reference(argument);
}

void read_words(Options& options, const cxxopts::ParseResult& result, const std::vector<std::string>& words) {
    if (options.command == "exec")
        read_exec(options, result, words);
    else if (options.command == "image")
        read_image(options, words);
    else if (words.size() > 1)
        throw UsageError(options.command + ": \"" + words[1] + "\" is one word too many");
}

} // namespace

Options read_options(const std::vector<std::string>& arguments, const std::string& name,
                     const std::map<std::string, std::string>& environment) {
    Options options;
    cxxopts::Options parser = make_parser();
    const cxxopts::ParseResult result = parse(parser, arguments);
    const std::vector<std::string> words =
        result.count("words") ? result["words"].as<std::vector<std::string>>() : std::vector<std::string>();
    options.command = result.count("help")      ? "help"
                      : result.count("version") ? "version"
                                                : command_of(words, name);
    if (options.command == "help" && result.count("settings-table")) options.command = "settings-table";
    if (options.command == "help" || options.command == "version" || options.command == "settings-table")
        return options;
    for (const std::string& unknown : config::apply_environment(options.settings, environment))
        options.warnings.push_back(unknown + " is set, but there is no such setting; see cordon --help");
    for (const config::Setting& setting : config::settings_table())
        for (const std::string& flag : {std::string(setting.old_flag), std::string(setting.flag)})
            if (!flag.empty() && result.count(flag))
                config::apply(options.settings, setting, "--" + flag, result[flag].as<std::string>());
    read_words(options, result, words);
    config::check(options.settings);
    options.json = result.count("json") > 0;
    options.self_test = result.count("self-test") > 0;
    if (result.count("suite")) options.suite = result["suite"].as<std::string>();
    read_http(options, result);
    return options;
}

std::string help_text() {
    std::string text = "cordon: Python that a model wrote, in a sealed container, as one MCP tool\n\n"
                       "  cordon serve                     the MCP server on stdio (also: cordon run); "
                       "--http HOST:PORT instead\n"
                       "  cordon exec [--server NAME]… FILE   run a file (- is standard input); its output, "
                       "its exit status\n"
                       "  cordon doctor [--json]           what was found, what is enforced, what to do; "
                       "--self-test attacks it\n"
                       "  cordon servers [--json]          the upstream servers and their tools\n"
                       "  cordon image list|pull|use|build the images that the engine has; another one; one "
                       "without a registry\n"
                       "  cordon sweep                     remove what dead instances left\n\n"
                       "Settings, each a flag and a variable (the flag wins):\n";
    for (const config::Setting& setting : config::settings_table()) {
        std::string left = "  --" + std::string(setting.flag) +
                           (is_switch(setting) ? "" : " " + std::string(setting.argument));
        left.resize(std::max<std::size_t>(left.size() + 1, 33), ' ');
        text += left + std::string(setting.help) + "\n" + std::string(33, ' ') +
                std::string(setting.variable) + ", default " + std::string(setting.fallback) + "\n";
    }
    return text;
}

std::string settings_markdown() {
    std::string text = "| flag | variable | default | meaning |\n|---|---|---|---|\n";
    for (const config::Setting& setting : config::settings_table()) {
        std::string argument(setting.argument);
        for (std::size_t at = argument.find('|'); at != std::string::npos; at = argument.find('|', at + 2))
            argument.replace(at, 1, "\\|");
        text += "| `--" + std::string(setting.flag) + (argument.empty() ? "" : " " + argument) + "` | `" +
                std::string(setting.variable) + "` | " + std::string(setting.fallback) + " | " +
                std::string(setting.help) + " |\n";
    }
    return text;
}

} // namespace cli
