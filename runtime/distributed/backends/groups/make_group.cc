// Names of backends, and the groups that are made of them.
#include "runtime/distributed/backends/groups/make_group.h"

#include <numeric>

#include "runtime/core/base/error.h"
#include "runtime/distributed/backends/groups/claim.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/prefix_store.h"

namespace opweave::distributed {

Routes parse_routes(const std::string& text) {
  if (text.find(':') == std::string::npos) return {{"", text}};
  Routes routes;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string pair = text.substr(at, end - at);
    const size_t colon = pair.find(':');
    OW_CHECK_VALUE(colon != std::string::npos && colon > 0 && colon + 1 < pair.size(),
                   "Invalid device:backend pairing: '", pair, "' in '", text,
                   "'; expected pairs such as 'cpu:gloo,cuda:nccl'");
    routes.emplace_back(pair.substr(0, colon), pair.substr(colon + 1));
    at = end + 1;
  }
  return routes;
}

std::unique_ptr<Group> make_group(const BackendContext& context, const Routes& routes,
                                  std::optional<Device> device) {
  const TimeLimitScope scope(making_limit(context));
  std::vector<Route> made;
  for (const auto& [type_name, backend] : routes) {
    std::optional<DeviceType> type;
    if (!type_name.empty()) type = find_device_type(type_name);
    made.push_back({type, make_backend(backend, context_of(context, backend))});
  }
  auto group = std::make_unique<Group>(context, std::move(made));
  if (device) group->connect(*device);
  return group;
}

ProcessGroupPtr init_process_group(std::shared_ptr<Store> store, int rank, int size,
                                   const GroupOptions& options) {
  OW_CHECK_VALUE(store != nullptr, "init_process_group(): there is no store");
  OW_CHECK_VALUE(size > 0 && rank >= 0 && rank < size, "init_process_group(): rank ", rank,
                 " is not one of a world of ", size, " processes");
  const TimeLimitScope scope(options.timeout);
  const auto claim = std::make_shared<Claim>(std::move(store), options.name, rank, size);
  auto own = std::make_shared<PrefixStore>("group/" + options.name, claim->meeting_store());
  own->set_timeout(options.timeout);
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const BackendContext context{std::move(own), options.name,    rank,
                               size,           options.timeout, std::move(ranks)};
  const Routes routes = options.backend.empty() ? Routes{{"", choose_backend(context)}}
                                                : parse_routes(options.backend);
  const std::shared_ptr<Group> group = make_group(context, routes, options.device);
  claim->note_made();
  // The claim goes after the group.
  struct Member {
    std::shared_ptr<Claim> claim;
    std::shared_ptr<Group> group;
  };
  const auto member = std::make_shared<Member>(Member{claim, group});
  return {member, group.get()};
}

}  // namespace opweave::distributed
