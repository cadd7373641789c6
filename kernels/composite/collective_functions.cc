// Collectives as functions of tensors, which autograd differentiates: a new tensor on every rank,
// and the one that is given stays as it is.
#include <numeric>

#include "kernels/composite/new_tensor.h"
#include "kernels/composite/ranks_and_tags.h"
#include "opweave/kernels/composite/dist_all_gather.h"
#include "opweave/kernels/composite/dist_all_reduce.h"
#include "opweave/kernels/composite/dist_all_to_all.h"
#include "opweave/kernels/composite/dist_broadcast.h"
#include "opweave/kernels/composite/dist_gather.h"
#include "opweave/kernels/composite/dist_recv.h"
#include "opweave/kernels/composite/dist_reduce.h"
#include "opweave/kernels/composite/dist_reduce_scatter.h"
#include "opweave/kernels/composite/dist_scatter.h"
#include "opweave/kernels/composite/dist_send.h"
#include "opweave/kernels/composite/dist_share.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/div.h"
#include "opweave/ops/split_with_sizes.h"
#include "opweave/ops/zero_.h"

namespace opweave::composite {
namespace {

using namespace distributed;
using Kind = CollectiveKind;

// Tensors without elements have nothing to give: their results are known without the others.
void run(const ProcessGroupPtr& group, const Tensor& like, Collective collective) {
  OW_CHECK(group != nullptr, name_of(collective.kind), "(): there is no group");
  if (like.is_meta()) return;
  group->start(std::move(collective))->wait();
}

Tensor copy_of(const Tensor& self) { return opweave::clone(self, MemoryFormat::kContiguous); }

// In place of `rows` rows.
Tensor with_rows(const Tensor& self, int64_t rows) {
  DimVector sizes(self.sizes());
  sizes[0] = rows;
  return new_tensor(sizes, TensorOptions().or_of(self));
}

// The rows of each rank of a contiguous tensor.
std::vector<Tensor> parts_of(const Tensor& tensor, IntList sizes, const ProcessGroup& group,
                             Kind kind) {
  const bool one_each = static_cast<int64_t>(sizes.size()) == group.size();
  OW_CHECK_VALUE(one_each, name_of(kind), "(): expected ", group.size(),
                 " numbers of rows, one for each rank of the group, got ", sizes);
  int64_t left = tensor.size(0);
  for (const int64_t size : sizes) {
    OW_CHECK_VALUE(size >= 0 && size <= left, name_of(kind), "(): ", sizes,
                   " are not the rows of a tensor of the sizes ", tensor.sizes());
    left -= size;
  }
  OW_CHECK_VALUE(left == 0, name_of(kind), "(): ", sizes,
                 " are not the rows of a tensor of the sizes ", tensor.sizes());
  return opweave::split_with_sizes(tensor, sizes, 0);
}

void check_rows(Kind kind, const ProcessGroup& group, IntList sizes, int64_t rows) {
  const auto rank = static_cast<size_t>(group.rank());
  OW_CHECK_VALUE(rank >= sizes.size() || sizes[rank] == rows, name_of(kind), "(): rank ", rank,
                 " gets ", rows, " rows, and the ranks' are ", sizes);
}

}  // namespace

Tensor dist_broadcast(const Tensor& self, ProcessGroupPtr group, int64_t src) {
  Tensor result = copy_of(self);
  run(group, self,
      {.kind = Kind::kBroadcast, .inputs = {result}, .outputs = {result}, .root = rank_of(src)});
  return result;
}

Tensor dist_all_reduce(const Tensor& self, ProcessGroupPtr group, std::string_view op) {
  Tensor result = copy_of(self);
  run(group, self,
      {.kind = Kind::kAllReduce, .inputs = {result}, .outputs = {result}, .op = reduce_op(op)});
  return result;
}

Tensor dist_reduce(const Tensor& self, ProcessGroupPtr group, int64_t dst, std::string_view op) {
  Tensor result = copy_of(self);
  run(group, self,
      {.kind = Kind::kReduce,
       .inputs = {result},
       .outputs = {result},
       .op = reduce_op(op),
       .root = rank_of(dst)});
  if (group->rank() != dst) opweave::zero_(result);
  return result;
}

Tensor dist_all_gather(const Tensor& self, ProcessGroupPtr group, IntList sizes, int64_t rows) {
  const Tensor result = with_rows(self, rows);
  run(group, self,
      {.kind = Kind::kAllGather,
       .inputs = {opweave::contiguous(self)},
       .outputs = parts_of(result, sizes, *group, Kind::kAllGather)});
  return result;
}

Tensor dist_reduce_scatter(const Tensor& self, ProcessGroupPtr group, IntList sizes, int64_t rows,
                           std::string_view op) {
  const Tensor result = with_rows(self, rows);
  check_rows(Kind::kReduceScatter, *group, sizes, rows);
  run(group, self,
      {.kind = Kind::kReduceScatter,
       .inputs = parts_of(opweave::contiguous(self), sizes, *group, Kind::kReduceScatter),
       .outputs = {result},
       .op = reduce_op(op)});
  return result;
}

Tensor dist_gather(const Tensor& self, ProcessGroupPtr group, int64_t dst, IntList sizes,
                   int64_t rows) {
  const bool root = group->rank() == dst;
  Tensor result = with_rows(self, rows);
  if (!root) opweave::zero_(result);
  Collective gather{
      .kind = Kind::kGather, .inputs = {opweave::contiguous(self)}, .root = rank_of(dst)};
  if (root) gather.outputs = parts_of(result, sizes, *group, Kind::kGather);
  run(group, self, std::move(gather));
  return result;
}

Tensor dist_scatter(const Tensor& self, ProcessGroupPtr group, int64_t src, IntList sizes,
                    int64_t rows) {
  const Tensor result = with_rows(self, rows);
  check_rows(Kind::kScatter, *group, sizes, rows);
  Collective scatter{.kind = Kind::kScatter, .outputs = {result}, .root = rank_of(src)};
  if (group->rank() == src)
    scatter.inputs = parts_of(opweave::contiguous(self), sizes, *group, Kind::kScatter);
  run(group, self, std::move(scatter));
  return result;
}

Tensor dist_all_to_all(const Tensor& self, ProcessGroupPtr group, IntList output_sizes,
                       IntList input_sizes, int64_t rows) {
  const Tensor result = with_rows(self, rows);
  run(group, self,
      {.kind = Kind::kAllToAll,
       .inputs = parts_of(opweave::contiguous(self), input_sizes, *group, Kind::kAllToAll),
       .outputs = parts_of(result, output_sizes, *group, Kind::kAllToAll)});
  return result;
}

Tensor dist_send(const Tensor& self, ProcessGroupPtr group, int64_t dst, int64_t tag) {
  run(group, self,
      {.kind = Kind::kSend,
       .inputs = {opweave::contiguous(self)},
       .root = rank_of(dst),
       .tag = tag_of(tag)});
  return zeros_of(self.sizes(), self);
}

Tensor dist_recv(const Tensor& self, ProcessGroupPtr group, int64_t src, int64_t tag) {
  const Tensor result = new_tensor(self.sizes(), TensorOptions().or_of(self));
  run(group, self,
      {.kind = Kind::kRecv, .outputs = {result}, .root = rank_of(src), .tag = tag_of(tag)});
  return result;
}

Tensor dist_share(const Tensor& self, ProcessGroupPtr group, std::string_view op) {
  return op == "avg" ? opweave::div(self, group->size()) : self;
}

}  // namespace opweave::composite
