// Loads operator libraries that speak the stable interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

struct LoadedOperator {
  std::string name;   // "mine::scaled"
  std::string place;  // of its entry; may be empty
  bool internal;
};
struct LoadedLibrary {
  std::string name;
  std::vector<LoadedOperator> operators;
};

// In words, who has the operator of a full name.
using Whose = std::string (*)(std::string_view full_name);

// Registers the operators of a library, in the place of one of the same name. RuntimeError, and
// nothing is registered, where this core is not what it needs, or a name is taken: the text names
// the library and its operators, or both owners of the name, for which it asks `whose`. `path` is
// for the text of one that is too damaged to say its name.
const LoadedLibrary& load_library(const OwLibrary* library, std::string_view path, Whose whose);

}  // namespace opweave::stable
