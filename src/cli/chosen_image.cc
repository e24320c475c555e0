#include "src/cli/chosen_image.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "src/base/changeable.h"
#include "src/base/private_folder.h"
#include "src/cli/app.h"

namespace cli {
namespace {

// Whoever can write the file chooses what code runs in.
void check_is_ours(const std::string& file) {
    const auto changeable = base::changeable_by_others(file);
    if (!changeable) return;
    throw config::Error(file + ": " + changeable->why +
                        ", so it does not choose the image: remove it, name the image with --image, or "
                        "mend that: " +
                        changeable->mend);
}

} // namespace

std::string choice_file(const config::Settings& settings,
                        const std::map<std::string, std::string>& environment) {
    return state_folder(settings, environment) + "/image";
}

std::string image_of(const config::Settings& settings,
                     const std::map<std::string, std::string>& environment) {
    if (!settings.image.empty()) return settings.image;
    const std::string file = choice_file(settings, environment);
    std::ifstream in(file);
    std::string line;
    if (!in || !std::getline(in, line)) return config::default_image;
    check_is_ours(file);
    try {
        return config::image_reference(line);
    } catch (const config::Error& e) {
        throw config::Error(file + ": " + e.what() + " (cordon image use default takes the choice back)");
    }
}

void choose_image(const std::string& file, const std::string& reference) {
    if (reference.empty()) {
        std::filesystem::remove(file);
        return;
    }
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    base::make_private_folder(folder.string());
    const std::string fresh = file + ".new";
    std::ofstream out(fresh, std::ios::trunc);
    out << reference << '\n';
    out.close();
    if (!out) throw std::runtime_error("cannot write " + fresh);
    std::filesystem::rename(fresh, file); // whoever reads meanwhile sees one or the other
}

} // namespace cli
