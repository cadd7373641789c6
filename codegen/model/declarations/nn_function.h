// The functions of nn.functional: what PyTorch's have that schemas have not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// What a parameter of such a function stands for.
enum class NnRole : uint8_t {
  argument,      // an argument of the operator, perhaps with another default
  reduction,     // an argument that is a reduction, by its name: 'none', 'mean', 'sum'
  inplace,       // a flag: the in-place form runs instead
  all_results,   // a flag: all results are returned, not just the first
  size_average,  // the older words for a reduction: both flags,
  reduce,        // either may be None
};

// The words that a signature may have beside the names of arguments, and their roles.
struct NnWord {
  std::string_view name;
  NnRole role;
};
inline constexpr NnWord kNnWords[] = {{"inplace", NnRole::inplace},
                                      {"return_indices", NnRole::all_results},
                                      {"size_average", NnRole::size_average},
                                      {"reduce", NnRole::reduce}};

struct NnParameter {
  NnRole role = NnRole::argument;
  uint16_t index = 0;  // of an argument or a reduction: in the schema
  Argument face;       // as Python sees it: `self` is `input`, a reduction is a str
};

// An argument that is no parameter, and what it is instead of its default.
struct NnFixed {
  uint16_t index = 0;
  Argument argument;  // with that default
};

struct NnFunction {
  std::string name;  // `cross_entropy`
  std::vector<NnParameter> parameters;
  std::vector<NnFixed> fixed;
  bool is_schema = false;  // the parameters are those of the schema, and no reduction is among them
};

}  // namespace opweave::codegen
