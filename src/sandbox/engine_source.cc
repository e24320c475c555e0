#include "src/sandbox/engine_source.h"

#include <algorithm>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime_api/error.h"
#include "src/sandbox/image_pull.h"
#include "src/sandbox/janitor.h"
#include "src/sandbox/pinned_image.h"

namespace sandbox {
namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime_api::Errc;

namespace {

constexpr auto first_sweep_after = 3s; // the first call has the engine for itself
constexpr auto sweep_every = 60s;

// Sweeps soon and every minute, and tries again what could not be removed, until it is over. What fails is
// said and tried again.
template <class Janitor>
asio::awaitable<void> janitor_round(std::shared_ptr<Janitor> janitor,
                                    std::shared_ptr<const engines::Found> found, const Instance* instance,
                                    std::shared_ptr<Remover> remover,
                                    std::function<void(const std::string&)> log) {
    janitor->timer.expires_after(first_sweep_after);
    for (;;) {
        boost::system::error_code ignored;
        co_await janitor->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        if (janitor->over) co_return;
        try {
            const std::vector<std::string> removed = co_await sweep(found->engine, instance, log);
            for (const std::string& name : removed) log("removed leftover container " + name);
            remover->retry();
        } catch (const runtime_api::Error& e) {
            log(std::string("sweep: ") + e.what());
        }
        if (janitor->over) co_return; // meanwhile
        janitor->timer.expires_after(sweep_every);
    }
}

} // namespace

struct EngineSource::Janitor {
    explicit Janitor(const asio::any_io_executor& executor) : timer(executor) {}
    asio::steady_timer timer; // cancel() says: look whether it is over
    bool over = false;
};

EngineSource::EngineSource(asio::any_io_executor executor, Options options)
    : executor_(executor), options_(std::move(options)),
      remover_(std::make_shared<Remover>(executor, options_.log)), searching_(executor), pulling_(executor) {}

EngineSource::~EngineSource() {
    close();
    remover_->stop();
}

void EngineSource::close() {
    end_janitor();
    pulling_.cancel();
}

void EngineSource::end_janitor() {
    if (!janitor_) return;
    janitor_->over = true;
    janitor_->timer.cancel();
}

void EngineSource::forget_engine() {
    end_janitor();
    if (in_use_) given_up_ = in_use_;
    in_use_ = nullptr;
    hasty_ = false;
    forget_image();
}

void EngineSource::forget_image() {
    image_there_ = false;
    Lessons fresh;
    fresh.for_others = lessons_->for_others;
    lessons_ = std::make_shared<Lessons>(fresh);
}

const Instance& EngineSource::instance() {
    if (!instance_) instance_ = std::make_unique<Instance>(options_.state_dir);
    return *instance_;
}

asio::awaitable<EngineSource::InUse> EngineSource::search() {
    engines::SearchOptions how = options_.search;
    how.hasty = hasty_;
    engines::Found found = co_await engines::find_engine(engines::Surroundings::here(), how);
    in_use_ = std::make_shared<EngineDescription>(
        executor_, std::make_shared<const engines::Found>(std::move(found)), options_.search);
    in_use_->begin();
    start_janitor();
    co_return in_use_;
}

void EngineSource::start_janitor() {
    end_janitor();
    janitor_ = std::make_shared<Janitor>(executor_);
    asio::co_spawn(executor_, janitor_round(janitor_, in_use_->found(), &instance(), remover_, options_.log),
                   asio::detached);
}

asio::awaitable<EngineSource::InUse> EngineSource::in_use() {
    if (in_use_) co_return in_use_;
    instance(); // its folder's troubles are told before the engine's
    const auto start = [this] { return search(); };
    co_return co_await searching_.join(start);
}

asio::awaitable<std::shared_ptr<const engines::Found>> EngineSource::found() {
    const InUse engine = co_await in_use();
    co_return co_await engine->described();
}

namespace {

constexpr std::string_view own_registry = "localhost/";

// What to do without the image. One of "localhost" is in no registry.
std::string remedy_for(const std::string& image) {
    if (!image.starts_with(own_registry)) return " (--image or CORDON_IMAGE names another)";
    const std::string name = image.substr(own_registry.size());
    const char* flavour = name.starts_with("cordon-datascience") ? "datascience" : "python";
    return std::string(" (an image of localhost is in no registry: cordon image build ") + flavour +
           " makes one, cordon image list shows what there is, --image or CORDON_IMAGE names another)";
}

} // namespace

// Where a container has little memory, that is the code's alone.
void EngineSource::know_early_modules(const std::string& image_id) {
    constexpr std::int64_t tight = 256 << 20;
    constexpr std::size_t digits = 32; // of an id, as the file's name
    if (!options_.early_modules || options_.confinement.memory_bytes < tight || lessons_->early_modules)
        return;
    EarlyModules::Options options = *options_.early_modules;
    options.most_bytes = options_.confinement.memory_bytes / 2;
    std::string id = image_id.starts_with("sha256:") ? image_id.substr(7) : image_id;
    if (id.size() >= digits && id.find_first_not_of("0123456789abcdef") == std::string::npos)
        options.file = options_.state_dir + "/early-modules/" + id.substr(0, digits) + ".json";
    lessons_->early_modules = std::make_shared<EarlyModules>(std::move(options));
}

asio::awaitable<bool> EngineSource::ensure_image(InUse engine) {
    const std::string image = options_.confinement.image;
    std::shared_ptr<const engines::Found> found = engine->found();
    std::optional<FoundImage> there = co_await find_image(found->engine, image);
    if (!there) {
        const std::string others = co_await others_of_that_name(found->engine, image);
        if (!others.empty() && image.starts_with(own_registry))
            throw runtime_api::Error(Errc::not_found,
                                     "image " + image + " is not there" + others + remedy_for(image));
        found = co_await engine->described(); // nothing is pulled by one that may not be used
        options_.log("pulling " + image);
        try {
            co_await pull_image(found, image, pulls_);
        } catch (const runtime_api::Error& e) {
            throw runtime_api::Error(e.code(), "image " + image + " is not there and could not be pulled: " +
                                                   e.what() + others + remedy_for(image));
        }
        options_.log("pulled " + image);
        there = co_await find_image(found->engine, image);
    }
    image_name_ = there ? there->name : image;
    image_pin_ = there ? pin_of(there->info, image) : "";
    image_contents_ = there ? there->info.labels[contents_label] : "";
    image_environment_.clear();
    if (there) image_environment_ = there->info.environment;
    know_early_modules(there ? there->info.id : "");
    image_there_ = true;
    co_return true;
}

std::string EngineSource::advice_on(const std::string& words) const {
    const InUse& about = in_use_ ? in_use_ : given_up_; // one that stopped is given up by the time it is told
    if (!about || words.find(" → ") != std::string::npos) return "";
    return explanation(*about->found(), words);
}

namespace {

// An engine behind ssh might want a password.
bool may_ask_somebody(const engines::SearchOptions& search) {
    for (const engines::Candidate& each : engines::candidates(engines::Surroundings::here(), search))
        if (each.endpoint && each.endpoint->kind != runtime_api::Endpoint::Kind::unix_socket) return true;
    return false;
}

} // namespace

asio::awaitable<bool> EngineSource::ready_unasked() {
    if (may_ask_somebody(options_.search)) co_return false;
    const InUse at = co_await in_use();
    if (image_there_) co_return true;
    const std::shared_ptr<const engines::Found> found = at->found();
    const std::optional<FoundImage> there = co_await find_image(found->engine, options_.confinement.image);
    co_return there.has_value();
}

int EngineSource::most_warm() const {
    constexpr std::int64_t of_one = 64 << 20; // what waits has some 25 MiB, and more with modules imported
    constexpr std::int64_t part = 8;          // of the host's memory may wait for calls
    constexpr std::int64_t unsaid = std::int64_t{2} << 30;
    std::int64_t memory = in_use_ ? in_use_->found()->info.memory_bytes : 0;
    if (memory <= 0) memory = unsaid;
    return static_cast<int>(std::clamp<std::int64_t>(memory / part / of_one, 1, 1024));
}

asio::awaitable<Workshop> EngineSource::workshop() {
    const InUse at = co_await in_use();
    if (!image_there_) {
        const auto start = [this, at] { return ensure_image(at); };
        co_await pulling_.join(start);
    }
    Workshop workshop;
    workshop.executor = executor_;
    workshop.engine = at->found()->engine;
    workshop.description = at;
    workshop.confinement = options_.confinement;
    workshop.confinement.image = image_name_;
    workshop.instance = &instance();
    workshop.remover = remover_;
    workshop.lessons = lessons_;
    workshop.image_environment = image_environment_;
    workshop.workers = options_.workers;
    workshop.whole = options_.whole;
    if (options_.confinement.user_of_its_own) workshop.users = users_;
    co_return workshop;
}

} // namespace sandbox
