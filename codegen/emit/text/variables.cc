// Names that emitters use are told apart by a list, which a test keeps complete.
#include "codegen/emit/text/variables.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "codegen/syntax/keywords.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kOwnNames[] = {
#define OW_CPP_NAME(name) #name,
#define OW_PYTHON_NAME(name)
#include "codegen/emit/text/own_names.def"
#undef OW_CPP_NAME
#undef OW_PYTHON_NAME
};

constexpr std::string_view kPythonNames[] = {
#define OW_CPP_NAME(name)
#define OW_PYTHON_NAME(name) #name,
#include "codegen/emit/text/own_names.def"
#undef OW_CPP_NAME
#undef OW_PYTHON_NAME
};

// What emitters make of an argument's name for variables beside it.
constexpr std::string_view kSuffixes[] = {"_at", "_count", "_node", "_t_"};

bool every_variable_renamed = false;

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// `t0`, `t1`, …: parts of an expression that are used more than once.
bool is_numbered(std::string_view name) {
  return name.size() > 1 && name[0] == 't' && std::ranges::all_of(name.substr(1), [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

bool looks_derived(std::string_view name) {
  return name.starts_with("arg_") || name.starts_with("has_") ||
         name.find("_is_") != std::string_view::npos || is_numbered(name) ||
         std::ranges::any_of(kSuffixes, [&](std::string_view s) { return name.ends_with(s); });
}

}  // namespace

std::string variable(std::string_view argument) {
  const std::string name(argument);
  // Members of backward nodes are called `<name>_`.
  const bool taken = is_one_of(kOwnNames, name) || is_one_of(kOwnNames, name + "_");
  const bool renamed =
      taken || looks_derived(name) || is_cpp_keyword(name) || every_variable_renamed;
  return renamed ? "arg_" + name : name;
}

std::string python_variable(std::string_view argument) {
  const std::string name(argument);
  if (every_variable_renamed) return "arg_" + name;
  const bool renamed = is_one_of(kPythonNames, name) || name.ends_with('_') || is_cpp_keyword(name);
  return renamed ? name + "_" : name;
}

EveryVariableRenamed::EveryVariableRenamed() { every_variable_renamed = true; }
EveryVariableRenamed::~EveryVariableRenamed() { every_variable_renamed = false; }

}  // namespace opweave::codegen
