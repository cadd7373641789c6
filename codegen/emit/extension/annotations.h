// What Python calls the types of arguments, in the words of a framework.
#pragma once

#include <string>
#include <string_view>

#include "codegen/model/model.h"

namespace opweave::codegen {

// Those that frameworks have names of their own for.
struct TypeNames {
  std::string_view tensor, number, dtype, device, layout, memory_format;
};

// `Sequence[int] | int | None`: one element stands for a list where its type says so.
std::string python_annotation(const Type& type, const TypeNames& names);

}  // namespace opweave::codegen
