// How processes make a group: the one way in for Python and for C++ programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/distributed/backends/groups/group.h"

namespace opweave::distributed {

// The type of a device (empty: all that the backend takes) and the name of the backend of its
// tensors.
using Routes = std::vector<std::pair<std::string, std::string>>;
// Of "gloo", or "cpu:gloo,cuda:nccl". ValueError for what cannot be read.
Routes parse_routes(const std::string& text);

// A call of every rank of the group. `device` is connected now, and not by its first collective.
// ValueError for backends that there are not, DistBackendError that names the ranks that did not
// come.
std::unique_ptr<Group> make_group(const BackendContext& context, const Routes& routes,
                                  std::optional<Device> device = {});

struct GroupOptions {
  std::string backend = {};  // as parse_routes() takes it; empty: by where the ranks are
  std::string name = "world";
  Milliseconds timeout{30 * 60'000};  // of every collective that names none
  std::optional<Device> device = {};
};
// The group of all processes that meet in a store. ValueError for a rank that a process has already
// (a second call on a store, too, while the first group lives), and where ranks disagree on `size`.
ProcessGroupPtr init_process_group(std::shared_ptr<Store> store, int rank, int size,
                                   const GroupOptions& options = {});

}  // namespace opweave::distributed
