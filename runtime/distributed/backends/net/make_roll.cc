// Ranks that meet to know of one another.
#include "runtime/distributed/backends/net/make_roll.h"

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/process.h"

namespace opweave::distributed::net {

std::unique_ptr<Roll> make_roll(const BackendContext& context, const Interface& interface,
                                const std::string& network, const Deadline& deadline,
                                std::function<void()> changed) {
  const std::string who = own_process();
  std::vector<Met> met =
      meet(context, {interface.address, network, [&](int) { return who; }}, deadline);
  std::vector<std::string> processes;
  for (const Met& one : met) processes.push_back(one.greeting);
  auto roll = std::make_unique<Roll>(context.rank, std::move(met), std::move(processes), network);
  // Who waits looks around itself, and there are no letters.
  roll->start({[changed = std::move(changed)](bool all) {
                 if (all) changed();
                 return false;
               },
               [](int, uint64_t) {}});
  roll->wait_until_ready(deadline, str("rank ", context.rank, " of the group '", context.group,
                                       "' cannot connect to all others ", network));
  return roll;
}

}  // namespace opweave::distributed::net
