// Starting what processes of a group do together: one call of the group for each kind.
#include <algorithm>
#include <cmath>

#include "kernels/composite/collective_memory.h"
#include "kernels/composite/ranks_and_tags.h"
#include "opweave/kernels/composite/start_all_gather.h"
#include "opweave/kernels/composite/start_all_reduce.h"
#include "opweave/kernels/composite/start_all_to_all.h"
#include "opweave/kernels/composite/start_barrier.h"
#include "opweave/kernels/composite/start_broadcast.h"
#include "opweave/kernels/composite/start_gather.h"
#include "opweave/kernels/composite/start_recv.h"
#include "opweave/kernels/composite/start_reduce.h"
#include "opweave/kernels/composite/start_reduce_scatter.h"
#include "opweave/kernels/composite/start_scatter.h"
#include "opweave/kernels/composite/start_send.h"

namespace opweave::composite {
namespace {

using namespace distributed;
using Kind = CollectiveKind;

// What the arguments of all of them say.
struct Start {
  const ProcessGroupPtr& group;
  std::optional<double> timeout;  // seconds
  bool async;

  WorkPtr operator()(Collective collective) const {
    OW_CHECK(group != nullptr, name_of(collective.kind), "(): there is no group");
    check_have_memory(collective);
    collective.timeout = milliseconds(collective.kind);
    collective.async = async;
    return group->start(std::move(collective));
  }

 private:
  std::optional<Collective::Milliseconds> milliseconds(Kind kind) const {
    if (!timeout) return {};
    constexpr double kLongest = 1e12;  // milliseconds; longer is for ever, too
    OW_CHECK_VALUE(*timeout >= 0, name_of(kind),
                   "(): expected a timeout of at least 0 seconds, got ", *timeout);
    return Collective::Milliseconds(
        static_cast<int64_t>(std::min(std::ceil(*timeout * 1000), kLongest)));
  }
};

std::vector<Tensor> listed(TensorList tensors) { return {tensors.begin(), tensors.end()}; }

}  // namespace

WorkPtr start_broadcast(TensorList tensors, ProcessGroupPtr group, int64_t root,
                        std::optional<double> timeout, bool async_op) {
  const std::vector<Tensor> all = listed(tensors);
  return Start{group, timeout, async_op}(
      {.kind = Kind::kBroadcast, .inputs = all, .outputs = all, .root = rank_of(root)});
}

WorkPtr start_all_reduce(TensorList tensors, ProcessGroupPtr group, std::string_view op,
                         std::optional<double> timeout, bool async_op) {
  const std::vector<Tensor> all = listed(tensors);
  return Start{group, timeout, async_op}(
      {.kind = Kind::kAllReduce, .inputs = all, .outputs = all, .op = reduce_op(op)});
}

WorkPtr start_reduce(TensorList tensors, ProcessGroupPtr group, int64_t root, std::string_view op,
                     std::optional<double> timeout, bool async_op) {
  const std::vector<Tensor> all = listed(tensors);
  return Start{group, timeout, async_op}({.kind = Kind::kReduce,
                                          .inputs = all,
                                          .outputs = all,
                                          .op = reduce_op(op),
                                          .root = rank_of(root)});
}

WorkPtr start_all_gather(TensorList outputs, const Tensor& input, ProcessGroupPtr group,
                         std::optional<double> timeout, bool async_op) {
  return Start{group, timeout,
               async_op}({.kind = Kind::kAllGather, .inputs = {input}, .outputs = listed(outputs)});
}

WorkPtr start_gather(TensorList outputs, const Tensor& input, ProcessGroupPtr group, int64_t root,
                     std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}({.kind = Kind::kGather,
                                          .inputs = {input},
                                          .outputs = listed(outputs),
                                          .root = rank_of(root)});
}

WorkPtr start_scatter(Tensor& output, TensorList inputs, ProcessGroupPtr group, int64_t root,
                      std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}({.kind = Kind::kScatter,
                                          .inputs = listed(inputs),
                                          .outputs = {output},
                                          .root = rank_of(root)});
}

WorkPtr start_reduce_scatter(Tensor& output, TensorList inputs, ProcessGroupPtr group,
                             std::string_view op, std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}({.kind = Kind::kReduceScatter,
                                          .inputs = listed(inputs),
                                          .outputs = {output},
                                          .op = reduce_op(op)});
}

WorkPtr start_all_to_all(TensorList outputs, TensorList inputs, ProcessGroupPtr group,
                         std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}(
      {.kind = Kind::kAllToAll, .inputs = listed(inputs), .outputs = listed(outputs)});
}

WorkPtr start_send(const Tensor& tensor, ProcessGroupPtr group, int64_t peer, int64_t tag,
                   std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}(
      {.kind = Kind::kSend, .inputs = {tensor}, .root = rank_of(peer), .tag = tag_of(tag)});
}

WorkPtr start_recv(Tensor& tensor, ProcessGroupPtr group, int64_t peer, int64_t tag,
                   std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}(
      {.kind = Kind::kRecv, .outputs = {tensor}, .root = rank_of(peer), .tag = tag_of(tag)});
}

WorkPtr start_barrier(ProcessGroupPtr group, std::optional<double> timeout, bool async_op) {
  return Start{group, timeout, async_op}({.kind = Kind::kBarrier});
}

}  // namespace opweave::composite
