// The names of classes and functions in a pickle: listed, and written anew.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace opweave::python::pickling {

using Name = std::pair<std::string, std::string>;  // module, name

// The pickle with every name replaced by what `rename` says, called once for each. Where names are
// strings on the stack (protocol 4), those are dropped again and the new name follows them, so that
// the strings stay for others who mean them; frames are left out, as their lengths would be wrong.
std::string rename_globals(std::string_view pickle, const std::function<Name(const Name&)>& rename);

}  // namespace opweave::python::pickling
