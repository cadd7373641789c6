// What the other ranks are told where a collective does not come to its end on one.
#pragma once

#include <string>

#include "runtime/distributed/group/collective.h"

namespace opweave::distributed {

// A message about a call, without the description of that call that it may begin with.
std::string without_call(const Collective& collective, const std::string& text);
// "send to rank 1 of float32[3] (number 1 of its group) was broken off: rank 1 did not take it in
// time": for the exception that is handled now.
std::string broken_off(const Collective& collective);

}  // namespace opweave::distributed
