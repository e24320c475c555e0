#include <utility>

#include "runtime_api/engine_answer.h"
#include "runtime_api/image_json.h"
#include "runtime_api/image_name.h"
#include "runtime_api/pull_progress.h"
#include "runtime_api/rest_engine.h"
#include "src/base/percent.h"

namespace runtime_api {
namespace asio = boost::asio;
namespace {

/// Of an answer that came before anything of the pull did: the engine's status for it is 500 where the
/// registry's was another.
Error refused_pull(const std::string& attempted, const HttpResponse& answer) {
    const Error error = answer_error(attempted, answer);
    return error.code() == Errc::engine_fault ? Error(pull_errc(error.what()), error.what()) : error;
}

std::string silent_for(std::chrono::milliseconds time) {
    return "nothing came for " + std::to_string(time.count() / 1000) +
           " s: the registry does not send, or the way between it and the engine is cut";
}

} // namespace

asio::awaitable<std::string> RestEngine::image_json(std::string attempted, std::string reference) {
    std::string target = "/images/" + base::percent_encode_path(without_needless_tag(reference)) +
                         "/json"; // Docker would not take %2F for a slash
    HttpResponse answer = co_await get(std::move(attempted), std::move(target));
    co_return std::move(answer.body);
}

asio::awaitable<std::optional<ImageInfo>> RestEngine::image(std::string reference) {
    const std::string attempted = "look for image " + reference;
    std::string body;
    try {
        body = co_await image_json(attempted, reference);
    } catch (const Error& e) {
        if (e.code() != Errc::not_found) throw;
        co_return std::nullopt;
    }
    co_return read_answer(attempted, [&] { return read_image(body); });
}

asio::awaitable<std::vector<ImageInfo>> RestEngine::images() {
    const std::string attempted = "list images";
    const HttpResponse answer = co_await get(attempted, "/images/json");
    co_return read_answer(attempted, [&] { return read_images(answer.body); });
}

asio::awaitable<void> RestEngine::pull(std::string reference, PullSink sink,
                                       std::vector<RegistryAuth> logins) {
    const std::string attempted = "pull image " + reference;
    const PullRequest how = pull_request(reference);
    PullReader reader(how.words, std::move(sink));
    HttpRequest request;
    request.method = "POST";
    request.target = how.target;
    request.limit = std::chrono::milliseconds(0);
    request.silence = how.silence;
    request.headers = registry_auth_headers(dialect(), logins);
    request.sink = [&reader](std::string_view piece) { reader.feed(piece); };
    HttpResponse answer;
    try {
        answer = co_await ask(attempted, std::move(request));
    } catch (const Error& e) {
        if (e.code() != Errc::timed_out) throw;
        throw Error(e.code(), attempted + ": " + silent_for(how.silence));
    }
    if (answer.status < 200 || answer.status > 299) throw refused_pull(attempted, answer);
    reader.finish(attempted);
    // An engine that is ended in the middle may end its answer well.
    const std::optional<ImageInfo> there = co_await image(reference);
    if (!there) throw Error(Errc::protocol, attempted + ": the engine ended it without having the image");
}

asio::awaitable<void> RestEngine::import_image(ImageImport what) {
    HttpRequest request;
    request.method = "POST";
    request.target = import_target(what.name);
    for (const std::string& line : import_changes(what))
        request.target += "&changes=" + base::percent_encode(line);
    request.body_file = what.tar_file;
    request.content_type = "application/x-tar";
    request.limit = timeouts_.import;
    co_await ask_well("import image " + what.name, std::move(request));
}

asio::awaitable<void> RestEngine::remove_image(std::string reference) {
    HttpRequest request;
    request.method = "DELETE";
    request.target = "/images/" + base::percent_encode_path(without_needless_tag(reference));
    request.limit = timeouts_.remove;
    co_await ask_well("remove image " + reference, std::move(request));
}

} // namespace runtime_api
