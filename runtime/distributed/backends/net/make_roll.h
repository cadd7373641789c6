// How a roll is made by ranks that exchange no data of their own when they meet.
#pragma once

#include <memory>
#include <string>

#include "runtime/distributed/backends/net/interfaces.h"
#include "runtime/distributed/backends/net/roll.h"

namespace opweave::distributed::net {

// A call of every rank of the group. DistBackendError that names the ranks that did not come.
// `changed` is called, from any thread, when a rank has left, and when the group is over.
std::unique_ptr<Roll> make_roll(const BackendContext& context, const Interface& interface,
                                const std::string& network, const Deadline& deadline,
                                std::function<void()> changed);

}  // namespace opweave::distributed::net
