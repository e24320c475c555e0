#include "src/base/private_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "src/bridge/saved_tools.h"
#include "src/cli/chosen_image.h"
#include "src/cli/http_token.h"
#include "src/sandbox/instance.h"

namespace {

namespace fs = std::filesystem;

/// A folder of this test, gone with it.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("cordon-test-" + sandbox::random_hex(12));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string at(const std::string& name) const { return (path / name).string(); }
    std::string made(const std::string& name, mode_t mode) const {
        ::mkdir(at(name).c_str(), 0700);
        ::chmod(at(name).c_str(), mode);
        return at(name);
    }
};

mode_t mode_of(const std::string& path) {
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    return about.st_mode & 07777u;
}

template <class Work> std::string refusal(Work work) {
    try {
        work();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

std::string refusal_of(const std::string& path) {
    return refusal([&] { base::make_private_folder(path); });
}

} // namespace

TEST_CASE(
    "private folder: one that is missing is made for us alone, whatever the umask, and those above it") {
    const Folder folder;
    const mode_t before = ::umask(0);
    base::make_private_folder(folder.at("a/b/c/"));
    ::umask(before);
    for (const char* each : {"a", "a/b", "a/b/c"}) CHECK(mode_of(folder.at(each)) == 0700);
    base::make_private_folder(folder.at("a/b/c"));
}

TEST_CASE("private folder: one that is there keeps its mode; that others read it does no harm") {
    const Folder folder;
    for (const mode_t mode : {0700u, 0750u, 0755u, 0711u, 02755u}) {
        CHECK(refusal_of(folder.made("there", mode)) == "");
        CHECK(mode_of(folder.at("there")) == mode);
    }
    fs::create_directory_symlink(folder.at("there"), folder.at("link"));
    CHECK(refusal_of(folder.at("link")) == "");
}

TEST_CASE("private folder: one that others can write to is refused, left as it is, and the message helps") {
    const Folder folder;
    for (const mode_t mode : {0777u, 01777u, 0770u, 0702u, 02775u}) {
        const std::string words = refusal_of(folder.made("open", mode));
        CHECK(words.find(folder.at("open") + ": other users can write to it") != words.npos);
        CHECK(words.find("--state-dir") != words.npos);
        CHECK((words.find("chmod go-w " + folder.at("open")) != words.npos) == ((mode & S_ISVTX) == 0));
        CHECK(mode_of(folder.at("open")) == mode);
    }
    fs::create_directory_symlink(folder.at("open"), folder.at("link"));
    CHECK(refusal_of(folder.at("link")) != "");
}

TEST_CASE("private folder: another user's is refused, also by root") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make a folder of another user");
        return;
    }
    const Folder folder;
    REQUIRE(::chown(folder.made("theirs", 0700).c_str(), 12345, 12345) == 0);
    const std::string words = refusal_of(folder.at("theirs"));
    CHECK(words.find("belongs to another user (uid 12345)") != words.npos);
    CHECK(words.find("--state-dir") != words.npos);
}

TEST_CASE("private folder: what is no folder, or cannot be made") {
    const Folder folder;
    std::ofstream(folder.at("file")) << "x";
    CHECK_THROWS_AS(base::make_private_folder(folder.at("file")), std::system_error);
    CHECK_THROWS_AS(base::make_private_folder(folder.at("file/below")), std::system_error);
    fs::create_symlink(folder.at("nowhere"), folder.at("broken"));
    CHECK_THROWS_AS(base::make_private_folder(folder.at("broken")), std::system_error);
}

TEST_CASE(
    "private folder: whatever we keep there asks for it: instances, token, choice of image, functions") {
    const Folder folder;
    const std::string open = folder.made("open", 01777), words = open + ": other users can write to it";
    const auto refused = [&](auto work) { return refusal(work).find(words) != std::string::npos; };
    CHECK(refused([&] { sandbox::Instance instance(open); }));
    CHECK(refused([&] { cli::http_token(open); }));
    CHECK(refused([&] { cli::choose_image(open + "/image", "localhost/mine"); }));
    CHECK(refused([&] { bridge::SavedTools(open + "/saved_tools.sqlite").list(); }));
    CHECK(fs::is_empty(open));
    CHECK(mode_of(open) == 01777);
}

TEST_CASE("chosen image: a file that others can write chooses nothing") {
    const Folder folder;
    config::Settings settings;
    settings.state_dir = folder.made("state", 0700);
    cli::choose_image(folder.at("state/image"), "localhost/mine");
    CHECK(cli::image_of(settings, {}) == "localhost/mine");
    ::chmod(folder.at("state/image").c_str(), 0666);
    CHECK_THROWS_AS(cli::image_of(settings, {}), config::Error);
}
