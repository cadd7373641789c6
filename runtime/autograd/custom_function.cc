// Names of user-written functions.
#include "runtime/autograd/custom_function.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace opweave::detail {

// Without namespaces: "Square".
std::string demangled(const char* type_name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type_name, nullptr, nullptr, &status), &std::free);
  const std::string full = text ? text.get() : type_name;
  const size_t colon = full.rfind("::");
  return colon == std::string::npos ? full : full.substr(colon + 2);
}

}  // namespace opweave::detail
