// Collectives as functions of tensors, which autograd differentiates: a new tensor on every rank,
// and the one that is given stays as it is.
#include <numeric>

#include "kernels/composite/collective_memory.h"
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
#include "opweave/ops/movedim.h"
#include "opweave/ops/split_with_sizes.h"
#include "opweave/ops/zero_.h"

namespace opweave::composite {
namespace {

using namespace distributed;
using Kind = CollectiveKind;

// Tensors without elements have nothing to give: their results are known without the others.
void run(const ProcessGroupPtr& group, const Tensor& like, Collective collective) {
  if (like.is_meta()) return;
  check_have_memory(collective);
  group->start(std::move(collective))->wait();
}

void check_group(const ProcessGroupPtr& group, Kind kind) {
  OW_CHECK(group != nullptr, name_of(kind), "(): there is no group");
}

Tensor copy_of(const Tensor& self) { return opweave::clone(self, MemoryFormat::kContiguous); }

// Ranks exchange rows: the dimension along which there are parts comes first.
Tensor rows_of(const Tensor& self, int64_t dim) {
  return opweave::contiguous(opweave::movedim(self, dim, 0));
}

Tensor of_rows(const Tensor& rows, int64_t dim) {
  return opweave::contiguous(opweave::movedim(rows, 0, dim));
}

// Uninitialised, of `rows` rows like those.
Tensor new_rows(const Tensor& like, int64_t rows) {
  DimVector sizes(like.sizes());
  sizes[0] = rows;
  return new_tensor(sizes, TensorOptions().or_of(like));
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
  check_group(group, Kind::kBroadcast);
  Tensor result = copy_of(self);
  run(group, self,
      {.kind = Kind::kBroadcast, .inputs = {result}, .outputs = {result}, .root = rank_of(src)});
  return result;
}

Tensor dist_all_reduce(const Tensor& self, ProcessGroupPtr group, std::string_view op) {
  check_group(group, Kind::kAllReduce);
  Tensor result = copy_of(self);
  run(group, self,
      {.kind = Kind::kAllReduce, .inputs = {result}, .outputs = {result}, .op = reduce_op(op)});
  return result;
}

Tensor dist_reduce(const Tensor& self, ProcessGroupPtr group, int64_t dst, std::string_view op) {
  check_group(group, Kind::kReduce);
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

Tensor dist_all_gather(const Tensor& self, ProcessGroupPtr group, IntList sizes, int64_t rows,
                       int64_t dim) {
  check_group(group, Kind::kAllGather);
  const Tensor given = rows_of(self, dim), result = new_rows(given, rows);
  run(group, self,
      {.kind = Kind::kAllGather,
       .inputs = {given},
       .outputs = parts_of(result, sizes, *group, Kind::kAllGather)});
  return of_rows(result, dim);
}

Tensor dist_reduce_scatter(const Tensor& self, ProcessGroupPtr group, IntList sizes, int64_t rows,
                           std::string_view op, int64_t dim) {
  check_group(group, Kind::kReduceScatter);
  const Tensor given = rows_of(self, dim), result = new_rows(given, rows);
  check_rows(Kind::kReduceScatter, *group, sizes, rows);
  run(group, self,
      {.kind = Kind::kReduceScatter,
       .inputs = parts_of(given, sizes, *group, Kind::kReduceScatter),
       .outputs = {result},
       .op = reduce_op(op)});
  return of_rows(result, dim);
}

Tensor dist_gather(const Tensor& self, ProcessGroupPtr group, int64_t dst, IntList sizes,
                   int64_t rows, int64_t dim) {
  check_group(group, Kind::kGather);
  const bool root = group->rank() == dst;
  const Tensor given = rows_of(self, dim);
  Tensor result = new_rows(given, rows);
  if (!root) opweave::zero_(result);
  Collective gather{.kind = Kind::kGather, .inputs = {given}, .root = rank_of(dst)};
  if (root) gather.outputs = parts_of(result, sizes, *group, Kind::kGather);
  run(group, self, std::move(gather));
  return of_rows(result, dim);
}

Tensor dist_scatter(const Tensor& self, ProcessGroupPtr group, int64_t src, IntList sizes,
                    int64_t rows, int64_t dim) {
  check_group(group, Kind::kScatter);
  const Tensor given = rows_of(self, dim), result = new_rows(given, rows);
  check_rows(Kind::kScatter, *group, sizes, rows);
  Collective scatter{.kind = Kind::kScatter, .outputs = {result}, .root = rank_of(src)};
  if (group->rank() == src) scatter.inputs = parts_of(given, sizes, *group, Kind::kScatter);
  run(group, self, std::move(scatter));
  return of_rows(result, dim);
}

Tensor dist_all_to_all(const Tensor& self, ProcessGroupPtr group, IntList output_sizes,
                       IntList input_sizes, int64_t rows, int64_t dim) {
  check_group(group, Kind::kAllToAll);
  const Tensor given = rows_of(self, dim), result = new_rows(given, rows);
  run(group, self,
      {.kind = Kind::kAllToAll,
       .inputs = parts_of(given, input_sizes, *group, Kind::kAllToAll),
       .outputs = parts_of(result, output_sizes, *group, Kind::kAllToAll)});
  return of_rows(result, dim);
}

Tensor dist_send(const Tensor& self, ProcessGroupPtr group, int64_t dst, int64_t tag) {
  check_group(group, Kind::kSend);
  run(group, self,
      {.kind = Kind::kSend,
       .inputs = {opweave::contiguous(self)},
       .root = rank_of(dst),
       .tag = tag_of(tag)});
  return zeros_of(self.sizes(), self);
}

Tensor dist_recv(const Tensor& self, ProcessGroupPtr group, int64_t src, int64_t tag) {
  check_group(group, Kind::kRecv);
  const Tensor result = new_tensor(self.sizes(), TensorOptions().or_of(self));
  run(group, self,
      {.kind = Kind::kRecv, .outputs = {result}, .root = rank_of(src), .tag = tag_of(tag)});
  return result;
}

Tensor dist_share(const Tensor& self, ProcessGroupPtr group, std::string_view op) {
  return op == "avg" ? opweave::div(self, group->size()) : self;
}

}  // namespace opweave::composite
