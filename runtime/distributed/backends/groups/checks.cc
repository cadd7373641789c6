// Every collective's arguments, by the lines of collectives.def.
#include "runtime/distributed/backends/groups/checks.h"

#include "runtime/core/base/error.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::distributed {
namespace {

class Checks {
 public:
  Checks(const Collective& collective, const ProcessGroup& group)
      : c_(collective), group_(group), name_(name_of(collective.kind)) {}

  void run() const {
    check_root();
    const KindRecord& expected = record_of(c_.kind);
    check_list(c_.inputs, "input", expected.inputs);
    check_list(c_.outputs, "output", expected.outputs);
    check_alike();
    check_sizes();
    if (reduces(c_.kind)) check_reduction();
  }

 private:
  void check_root() const {
    if (!is_rooted(c_.kind)) return;
    const bool any = c_.kind == CollectiveKind::kRecv && c_.root == Collective::kAnyRank;
    OW_CHECK_VALUE(any || (c_.root >= 0 && c_.root < group_.size()), name_, "(): rank ", c_.root,
                   " is not in the group '", group_.name(), "', which has ", group_.size(),
                   " ranks");
    OW_CHECK_VALUE(!is_letter(c_.kind) || c_.root != group_.rank(), name_, "(): rank ", c_.root,
                   " cannot exchange tensors with itself");
  }

  void check_list(const std::vector<Tensor>& list, const char* what, Count count) const {
    const bool root = c_.root == group_.rank();
    if (count == Count::each_at_root) count = root ? Count::each : Count::none;
    if (count == Count::one_at_root) count = root ? Count::one : Count::none;
    const size_t size = list.size(), ranks = static_cast<size_t>(group_.size());
    if (count == Count::any) OW_CHECK_VALUE(size > 0, name_, "(): expected tensors, got none");
    if (count == Count::none)
      OW_CHECK_VALUE(size == 0, name_, "(): ", what, " tensors belong to rank ", c_.root,
                     " alone; rank ", group_.rank(), " gave ", size);
    if (count == Count::one)
      OW_CHECK_VALUE(size == 1, name_, "(): expected one ", what, " tensor, got ", size);
    if (count == Count::each)
      OW_CHECK_VALUE(size == ranks, name_, "(): expected ", ranks, " ", what,
                     " tensors, one for each rank of the group, got ", size);
    for (size_t i = 0; i < size; ++i) check_tensor(list[i], what, i);
  }

  void check_tensor(const Tensor& t, const char* what, size_t i) const {
    OW_CHECK_TYPE(t.defined(), name_, "(): ", what, " ", i, " is not a tensor");
    OW_CHECK_VALUE(t.is_contiguous(), name_, "(): Tensors must be contiguous: ", what, " ", i,
                   " has the sizes ", t.sizes(), " and the strides ", t.strides());
  }

  void check_alike() const {
    const Tensor* first = nullptr;
    for (const auto* list : {&c_.inputs, &c_.outputs}) {
      for (const Tensor& t : *list) {
        if (first == nullptr) first = &t;
        OW_CHECK_VALUE(t.dtype() == first->dtype(), name_,
                       "(): Tensors must have identical type: one is ", first->dtype(),
                       " and another ", t.dtype());
        OW_CHECK_VALUE(t.device() == first->device(), name_,
                       "(): Tensors must be on one device: one is on ", first->device(),
                       " and another on ", t.device());
      }
    }
  }

  // What this rank gives itself has one size. What it exchanges with others may be uneven.
  void check_sizes() const {
    const auto rank = static_cast<size_t>(group_.rank());
    const auto same = [&](const Tensor& in, const Tensor& out) {
      OW_CHECK_VALUE(in.numel() == out.numel(), name_, "(): rank ", rank, " gives itself ",
                     in.numel(), " elements and has room for ", out.numel());
    };
    const bool many_in = c_.inputs.size() == static_cast<size_t>(group_.size());
    const bool many_out = c_.outputs.size() == static_cast<size_t>(group_.size());
    switch (c_.kind) {
      case CollectiveKind::kAllGather:
        return same(c_.inputs[0], c_.outputs[rank]);
      case CollectiveKind::kGather:
        if (many_out) same(c_.inputs[0], c_.outputs[rank]);
        return;
      case CollectiveKind::kScatter:
        if (many_in) same(c_.inputs[rank], c_.outputs[0]);
        return;
      case CollectiveKind::kReduceScatter:
        return same(c_.inputs[rank], c_.outputs[0]);
      case CollectiveKind::kAllToAll:
        return same(c_.inputs[rank], c_.outputs[rank]);
      default:
        return;
    }
  }

  void check_reduction() const {
    const ScalarType dtype = (c_.inputs.empty() ? c_.outputs : c_.inputs)[0].dtype();
    const bool bits = c_.op >= ReduceOp::kBand;
    OW_CHECK(!bits || !is_floating(dtype), name_, "(): Cannot use ReduceOp.", name_of(c_.op),
             " with tensors of ", dtype);
    OW_CHECK(c_.op != ReduceOp::kAvg || is_floating(dtype), name_,
             "(): ReduceOp.avg needs floating-point tensors, got ", dtype);
  }

  const Collective& c_;
  const ProcessGroup& group_;
  const std::string_view name_;
};

}  // namespace

void check_collective(const Collective& collective, const ProcessGroup& group) {
  Checks(collective, group).run();
}

}  // namespace opweave::distributed
