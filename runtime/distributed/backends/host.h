// What ranks say of themselves in the store of their group, before they reach one another.
#pragma once

#include <string>
#include <vector>

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

// How long the making of a group may take, all steps together: as long as this thread is allowed,
// and at most the group's timeout. Who makes one keeps it in force (TimeLimitScope).
TimeLimit making_limit(const BackendContext& context);

// What is equal exactly where two processes can share memory: the boot of the host, the namespace
// of processes, and the user. Empty where it cannot be told.
std::string host_identity();
// The same of processes that reach one another over the loopback interface.
std::string network_identity();
// What a rank says of itself under a name, and what another did; waits for it. DistBackendError
// that names the ranks that have not said it in time.
void publish_value(const BackendContext& context, const std::string& what,
                   const std::string& value);
// `all_say` where every rank publishes it, and not that one alone.
std::string value_of(const BackendContext& context, const std::string& what, int rank,
                     bool all_say = true);
// What each rank says under a name, by rank; a call of every rank.
std::vector<std::string> values_of_all(const BackendContext& context, const std::string& what,
                                       const std::string& mine);
// Waits until every rank has come to `what`; DistBackendError names those that have not in time.
void wait_for_all(const BackendContext& context, const std::string& what);
// Whether all are the same, and something.
bool are_alike(const std::vector<std::string>& values);
// Whether all ranks gave the same for `what`, and something; a call of every rank.
bool all_alike(const BackendContext& context, const std::string& what, const std::string& mine);

}  // namespace opweave::distributed
