// Handwritten kernels in packages for other frameworks: the headers that they include.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/output/emit.h"

namespace opweave::codegen {

// Of the header that declares a kernel, as its file includes it: overloads share one.
std::string kernel_path(const Operator& op, std::string_view target);
// Those headers, for these operators.
std::vector<EmittedFile> kernel_headers(const std::vector<const Operator*>& operators,
                                        std::string_view target);
// Adds headers by these names that include `header`: where kernels look for what it has.
void add_header_names(std::initializer_list<const char*> names, const std::string& header,
                      std::vector<EmittedFile>& files);

}  // namespace opweave::codegen
