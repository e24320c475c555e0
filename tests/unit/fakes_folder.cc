#include "tests/unit/fakes_folder.h"

std::filesystem::path fakes_folder() { return CORDON_FAKES; }
