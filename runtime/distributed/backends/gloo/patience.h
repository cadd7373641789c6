// Connections of libgloo that outlast a cut of the network.
#pragma once

#include <string>
#include <vector>

namespace opweave::distributed::gloo_wire {

// Of those that are open between these devices, each in libgloo's bytes: they stay for as long as
// whoever waits for them, and go on soon after the network does.
void outlast_cuts(const std::vector<std::string>& devices);

}  // namespace opweave::distributed::gloo_wire
