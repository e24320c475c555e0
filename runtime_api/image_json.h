#pragma once
#include <string>
#include <vector>

#include "runtime_api/engine.h"

/// What both engines say of images by the same names. Pure; throws json::Error.
namespace runtime_api {

/// The answer to GET images/NAME/json.
ImageInfo read_image(const std::string& body);

/// The answer to GET images/json. Those without a name are left out.
std::vector<ImageInfo> read_images(const std::string& body);

/// The lines of a Containerfile that an import applies, as `changes`: CMD and LABEL.
std::vector<std::string> import_changes(const ImageImport& what);

} // namespace runtime_api
