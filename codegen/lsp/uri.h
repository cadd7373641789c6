// `file:` URIs and the paths that they stand for.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen::lsp {

// Any other URI stands for itself.
std::string path_of_uri(std::string_view uri);
std::string uri_of_path(std::string_view path);

}  // namespace opweave::codegen::lsp
