#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>

#include "runtime_api/image_name.h"
#include "src/cli/app.h"
#include "src/cli/chosen_image.h"
#include "src/cli/commands.h"
#include "src/cli/image_recipe.h"
#include "src/cli/pull_bar.h"
#include "src/cli/run_loop.h"
#include "src/sandbox/image_pull.h"

namespace cli {
namespace asio = boost::asio;

namespace {

using runtime_api::ImageInfo;

// One call of this command.
struct Visit {
    App& app;
    const Options& options;
    std::string choice; ///< The file that `use` writes.
};

std::string contents_of(const ImageInfo& image) {
    const auto label = image.labels.find(sandbox::contents_label);
    return label == image.labels.end() ? "" : label->second;
}

void print_image(const ImageInfo& image, const std::string& name, bool used) {
    std::printf("%s %-48s %5lld MB  %s\n", used ? "*" : " ", name.c_str(),
                static_cast<long long>(image.size_bytes / 1'000'000), contents_of(image).c_str());
}

asio::awaitable<int> list(Visit* visit) {
    const auto found = co_await visit->app.engine().found();
    const std::vector<ImageInfo> images = co_await found->engine->images();
    const std::string used = visit->app.settings().image;
    bool there = false;
    for (const ImageInfo& image : images) {
        for (const std::string& name : image.names) {
            const bool same = runtime_api::same_image(name, used);
            print_image(image, name, same);
            there |= same;
        }
    }
    if (!there) std::printf("* %-48s not there yet: it is pulled on first use\n", used.c_str());
    co_return 0;
}

asio::awaitable<int> pull(Visit* visit) {
    const std::string image = visit->options.file.empty() ? visit->app.settings().image : visit->options.file;
    const auto found = co_await visit->app.engine().found();
    co_await sandbox::pull_image(found, image, visit->app.engine().pulls());
    const std::optional<ImageInfo> there = co_await found->engine->image(image);
    std::printf("%s %s\n", image.c_str(), there ? there->id.c_str() : "");
    co_return 0;
}

asio::awaitable<int> use(Visit* visit) {
    const std::string image = visit->options.file == "default" ? "" : visit->options.file;
    if (!image.empty()) {
        const auto found = co_await visit->app.engine().found();
        const std::optional<ImageInfo> there = co_await found->engine->image(image);
        if (!there)
            throw runtime_api::Error(runtime_api::Errc::not_found,
                                     "the engine has no image " + image + ": cordon image pull " + image +
                                         ", or cordon image build; cordon image list shows what it has");
    }
    choose_image(visit->choice, image);
    std::printf("runs use %s from now on (%s); --image and MCP_BRIDGE_IMAGE go before it\n",
                image.empty() ? config::default_image : image.c_str(), visit->choice.c_str());
    co_return 0;
}

asio::awaitable<int> build(Visit* visit) {
    const auto found = co_await visit->app.engine().found(); // before the work is done for nobody
    const Options& options = visit->options;
    const std::string folder = state_folder(visit->app.settings(), own_environment()) + "/image-build";
    const BuiltTar tar = build_tar(folder, options.file, options.suite);
    runtime_api::ImageImport import;
    import.tar_file = tar.file;
    import.name = "localhost/cordon-" + options.file + ':' + tar.suite;
    import.command = std::vector<std::string>(1, "python3");
    import.labels.emplace(sandbox::contents_label, tar.contents);
    co_await found->engine->import_image(import);
    std::printf("%s: %s\ncordon image use %s makes it the one that runs use\n", import.name.c_str(),
                tar.contents.c_str(), import.name.c_str());
    co_return 0;
}

asio::awaitable<int> work(Visit* visit) {
    const std::string& action = visit->options.action;
    int status = 0;
    if (action == "list") status = co_await list(visit);
    if (action == "pull") status = co_await pull(visit);
    if (action == "use") status = co_await use(visit);
    if (action == "build") status = co_await build(visit);
    co_await visit->app.shut_down();
    co_return status;
}

} // namespace

int image(const Options& options) {
    asio::io_context loop(1);
    App app(loop, options.settings, own_environment());
    const PullBar bar(app.engine().pulls());
    Visit visit{app, options, choice_file(options.settings, own_environment())};
    return run_to_end(loop, work(&visit));
}

} // namespace cli
