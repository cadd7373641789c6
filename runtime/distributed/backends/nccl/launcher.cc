// Streams, events and blocks around calls of NCCL.
#include "runtime/distributed/backends/nccl/launcher.h"

#include <map>
#include <set>
#include <utility>

#include "runtime/core/base/error.h"
#include "runtime/target/copy.h"

namespace opweave::distributed::nccl {
namespace {

// To the block of what was launched, or from it, on its stream; nothing where it has none.
void copy_parts(const std::vector<Tensor>& parts, const Launched& launched, bool to_block) {
  if (launched.kept.empty()) return;
  const StreamGuard guard(launched.stream);
  char* block = static_cast<char*>(launched.kept[0].raw_data());
  for (const Tensor& part : parts) {
    void *from = part.raw_data(), *to = block;
    if (!to_block) std::swap(from, to);
    copy_bytes({to, part.device(), from, part.device(), part.nbytes()});
    block += part.nbytes();
  }
}

}  // namespace

Lane& Launcher::lane_for(const Collective& c, const Look& look) {
  const auto& tensors = c.inputs.empty() ? c.outputs : c.inputs;
  const Device device = resolve_device(tensors.empty() ? device_.load() : tensors[0].device());
  device_.store(device);
  return is_letter(c.kind) ? lanes_.with(c.root, device, look) : lanes_.together(device, look);
}

void Launcher::check(const Collective& c) const {
  check_supported(c);
  if (!is_letter(c.kind)) return;
  OW_CHECK(c.root != Collective::kAnyRank, name_of(c.kind),
           "(): NCCL cannot receive from any rank");
  lanes_.check_pair(c.root, resolve_device((c.inputs.empty() ? c.outputs : c.inputs)[0].device()));
}

// In one order on all ranks, for they wait for one another: by the other rank.
void Launcher::connect_lanes(std::span<const Collective* const> collectives, const Look& look) {
  std::map<int, const Collective*> by_peer;
  for (const Collective* c : collectives) by_peer.emplace(c->root, c);
  for (const auto& [peer, c] : by_peer) lane_for(*c, look);
}

DeviceBackend::LaunchedList Launcher::launch(std::span<const Collective* const> collectives,
                                             const Look& look) {
  connect_lanes(collectives, look);
  DeviceBackend::LaunchedList all;
  std::map<Lane*, std::vector<size_t>> by_lane;
  for (size_t i = 0; i < collectives.size(); ++i) {
    Lane& lane = lane_for(*collectives[i], look);
    by_lane[&lane].push_back(i);
    all.push_back(begin(lane, *collectives[i]));
  }
  std::vector<NcclComm::Issue> issues;
  for (const auto& [lane, which] : by_lane) {
    issues.push_back({lane->comm.get(), [&, which = which](CommHandle comm) {
                        Result first = Result::kSuccess;
                        for (const size_t i : which) {
                          const Result result = issue(*collectives[i], comm, *all[i]);
                          if (first == Result::kSuccess) first = result;
                        }
                        return first;
                      }});
  }
  NcclComm::issue(issues, look);
  for (size_t i = 0; i < all.size(); ++i) end(*collectives[i], *all[i]);
  return all;
}

std::unique_ptr<Launched> Launcher::begin(const Lane& lane, const Collective& c) const {
  const Device device = lane.stream.device();
  const Stream callers = current_stream(device);
  auto launched = std::make_unique<Launched>(lane.stream);
  launched->is_captured = callers.target().is_capturing(device.index, callers.id());
  lane.stream.wait(callers);
  const StreamGuard on_lane(lane.stream);  // memory that it uses alone
  if (c.kind == CollectiveKind::kBarrier) launched->kept = {make_tensor({1}, kByte, device)};
  if (const auto* parts = parts_that_need_a_block(c)) {
    const auto nbytes = static_cast<int64_t>((*parts)[0].nbytes() * parts->size());
    launched->kept = {make_tensor({nbytes}, kByte, device)};
  }
  launched->begun.record(lane.stream);
  if (c.kind == CollectiveKind::kReduceScatter) copy_parts(c.inputs, *launched, true);
  return launched;
}

Result Launcher::issue(const Collective& c, CommHandle comm, const Launched& launched) const {
  const DeviceGuard guard(launched.stream.device());
  const Place place{.library = library_,
                    .stream = launched.stream.native_handle(),
                    .rank = context_.rank,
                    .ranks = context_.size,
                    .peer = c.root > context_.rank ? 1 : 0,
                    .scratch = launched.kept.empty() ? nullptr : &launched.kept[0]};
  return nccl::issue(c, comm, place);
}

void Launcher::end(const Collective& c, Launched& launched) const {
  if (c.kind == CollectiveKind::kAllGather) copy_parts(c.outputs, launched, false);
  launched.ended.record(launched.stream);
}

}  // namespace opweave::distributed::nccl
