#pragma once
#include <filesystem>

/// tests/fakes of this checkout, whatever folder the tests are run from. (Not by __FILE__, which is relative
/// where a compiler cache makes paths so.)
std::filesystem::path fakes_folder();
