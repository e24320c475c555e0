#include "runtime_api/docker_json.h"
#include "runtime_api/error.h"
#include "runtime_api/libpod_json.h"
#include "src/base/json.h"
#include "tests/fuzz/fuzz.h"

// Whatever an engine answers is read or refused.
template <class Read> static void attempt(Read&& read) {
    try {
        read();
    } catch (const json::Error&) {
    } catch (const runtime_api::Error&) {
    }
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string body(fuzz::view(data, size));
    attempt([&] { runtime_api::libpod::read_created(body); });
    attempt([&] { runtime_api::libpod::read_state(body); });
    attempt([&] { runtime_api::libpod::read_list(body); });
    attempt([&] { runtime_api::libpod::read_info(body); });
    attempt([&] { runtime_api::libpod::read_exit_code(body); });
    attempt([&] { runtime_api::docker::read_created(body); });
    attempt([&] { runtime_api::docker::read_state(body); });
    attempt([&] { runtime_api::docker::read_list(body); });
    attempt([&] { runtime_api::docker::read_info(body); });
    attempt([&] { runtime_api::docker::read_exit_code(body); });
    attempt([&] { runtime_api::docker::read_version(body); });
    attempt([&] { runtime_api::docker::read_image_defaults(body); });
    attempt([&] { runtime_api::docker::negotiate(body, "1.41"); });
    return 0;
}
