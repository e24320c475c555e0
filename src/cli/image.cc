#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime_api/image_name.h"
#include "src/base/json.h"
#include "src/cli/app.h"
#include "src/cli/chosen_image.h"
#include "src/cli/commands.h"
#include "src/cli/image_recipe.h"
#include "src/cli/pull_bar.h"
#include "src/cli/run_loop.h"
#include "src/cli/say.h"
#include "src/sandbox/image_pull.h"
#include "src/sandbox/pinned_image.h"

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

// "sha256:" and twelve digits: enough to compare; --json has all of it.
std::string short_digest(const ImageInfo& image, const std::string& name) {
    const std::string pin = sandbox::pin_of(image, name);
    return pin.substr(pin.find('@') + 1, 19);
}

void print_image(const ImageInfo& image, const std::string& name, bool used) {
    const Shown size = Shown::number(image.size_bytes / 1'000'000);
    Shown line = used ? Shown("* ") : Shown("  ");
    line += Shown::line(name).pad(48) + " " + Shown::line(short_digest(image, name)).pad(19) + " ";
    say_line(line + Shown().pad(5 - std::min<std::size_t>(5, size.size())) + size + " MB  " +
             Shown::line(contents_of(image)));
}

bool is_used(const ImageInfo& image, const std::string& name, const std::string& used) {
    return runtime_api::same_image(name, used) || sandbox::is_pinned_to(used, image);
}

std::string list_json(const std::vector<ImageInfo>& images, const std::string& used) {
    json::Writer w;
    w.object().field("used", used).key("images").array();
    for (const ImageInfo& image : images)
        for (const std::string& name : image.names) {
            w.object().field("name", name).field("id", image.id).field("sizeBytes", image.size_bytes);
            w.field("pin", sandbox::pin_of(image, name)).field("contents", contents_of(image));
            w.field("used", is_used(image, name, used)).end();
        }
    return w.end().end().take();
}

asio::awaitable<int> list(Visit* visit) {
    const auto found = co_await visit->app.engine().found();
    const std::vector<ImageInfo> images = co_await found->engine->images();
    const std::string used = visit->app.settings().image;
    if (visit->options.json) {
        say_line(Shown::json(list_json(images, used)));
        co_return 0;
    }
    bool there = false;
    for (const ImageInfo& image : images) {
        for (const std::string& name : image.names) {
            const bool same = is_used(image, name, used);
            print_image(image, name, same);
            there |= same;
        }
    }
    if (!there) say_line("* " + Shown::line(used).pad(48) + " not there yet: it is pulled on first use");
    co_return 0;
}

asio::awaitable<int> pull(Visit* visit) {
    const std::string image = visit->options.file.empty() ? visit->app.settings().image : visit->options.file;
    const auto found = co_await visit->app.engine().found();
    co_await sandbox::pull_image(found, image, visit->app.engine().pulls());
    const std::optional<ImageInfo> there = co_await found->engine->image(image);
    const std::string id = there ? there->id : std::string();
    say_line(Shown::line(image) + " " + Shown::line(id));
    co_return 0;
}

asio::awaitable<int> use(Visit* visit) {
    const std::string image = visit->options.file == "default" ? "" : visit->options.file;
    if (!image.empty()) {
        const auto found = co_await visit->app.engine().found();
        const std::optional<sandbox::FoundImage> there = co_await sandbox::find_image(found->engine, image);
        std::string others;
        if (!there) others = co_await sandbox::others_of_that_name(found->engine, image);
        if (!there)
            throw runtime_api::Error(runtime_api::Errc::not_found,
                                     "the engine has no image " + image + others + ": cordon image pull " +
                                         image +
                                         ", or cordon image build; cordon image list shows what it has");
    }
    choose_image(visit->choice, image);
    const std::string chosen = image.empty() ? config::default_image : image;
    const std::string& said_by = visit->options.image_said_by;
    const bool same = runtime_api::same_image(chosen, visit->app.settings().image);
    if (said_by.empty() || same)
        say_line("runs use " + Shown::line(chosen) + " from now on (" + Shown::line(visit->choice) +
                 "); --image and CORDON_IMAGE go before it");
    else
        say_line(Shown::line(chosen) + " is chosen (" + Shown::line(visit->choice) +
                 "), but is NOT in effect here: " + Shown::line(said_by) + " says " +
                 Shown::line(visit->options.settings.image) + ", which goes before it" +
                 Shown::line(said_by == "--image" ? "" : ": unset " + said_by));
    co_return 0;
}

// Says besides where it is still wanted.
asio::awaitable<int> remove(Visit* visit) {
    const std::string& image = visit->options.file;
    const auto found = co_await visit->app.engine().found();
    const std::optional<ImageInfo> there = co_await found->engine->image(image);
    if (!there)
        throw runtime_api::Error(runtime_api::Errc::not_found, "the engine has no image " + image +
                                                                   "; cordon image list shows what it has");
    co_await found->engine->remove_image(image);
    say_line("removed " + Shown::line(image));
    if (runtime_api::same_image(image, visit->app.settings().image))
        say_line(
            "it is the one that runs use: cordon image use REFERENCE chooses another; else the next call "
            "pulls it anew");
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
    const Shown name = Shown::line(import.name);
    say_line(name + ": " + Shown::line(tar.contents));
    say_line("cordon image use " + name + " makes it the one that runs use");
    co_return 0;
}

asio::awaitable<int> work(Visit* visit) {
    const std::string& action = visit->options.action;
    int status = 0;
    if (action == "list") status = co_await list(visit);
    if (action == "pull") status = co_await pull(visit);
    if (action == "use") status = co_await use(visit);
    if (action == "rm") status = co_await remove(visit);
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
