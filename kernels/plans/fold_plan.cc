// Geometry of folds.
#include "kernels/plans/fold_plan.h"

#include <algorithm>

#include "runtime/core/base/error.h"

namespace opweave::plans {
namespace {

class FoldPlanner {
 public:
  FoldPlanner(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded)
      : spec_(spec),
        operands_(operands),
        folded_(folded),
        whole_(whole_operand(spec, operands)),
        sizes_(operands[static_cast<size_t>(whole_)]->sizes()),
        ndim_(static_cast<int64_t>(sizes_.size())),
        count_(static_cast<size_t>(spec.num_operands())) {
    if (count_ * sizes_.size() > kInline) heap_.reset(new int64_t[count_ * sizes_.size()]);
    strides_ = heap_ ? heap_.get() : inline_;
    std::fill_n(strides_, count_ * sizes_.size(), 0);
  }

  FoldPlan plan() {
    for (int k = 0; k < spec_.num_operands(); ++k) align(k);
    return {dims_of(/*folded=*/false), dims_of(/*folded=*/true)};
  }

 private:
  static constexpr size_t kInline = 48;

  int64_t* strides_at(int64_t dim) const { return strides_ + static_cast<size_t>(dim) * count_; }

  bool lies_along(int operand, int64_t dim) const {
    const FoldAxes axis = folded_[static_cast<size_t>(dim)] ? FoldAxes::kFolded : FoldAxes::kKept;
    return (static_cast<int>(spec_.axes[operand]) & static_cast<int>(axis)) != 0;
  }

  // The strides of an operand along all dimensions of the whole.
  void align(int operand) {
    const Tensor* tensor = operands_[static_cast<size_t>(operand)];
    if (tensor == nullptr || !tensor->defined()) return;
    const IntList sizes = tensor->sizes(), strides = tensor->strides();
    // Without the dimensions that it does not lie along, or with 1 in their place.
    int64_t own = static_cast<int64_t>(sizes.size());
    const bool short_form = own != ndim_ && own == dims_along(operand);
    for (int64_t d = ndim_ - 1; d >= 0 && own > 0; --d) {
      const bool along = lies_along(operand, d);
      if (short_form && !along) continue;
      --own;
      const int64_t size = sizes[static_cast<size_t>(own)],
                    wanted = along ? sizes_[static_cast<size_t>(d)] : 1;
      const bool broadcasts =
          size == 1 && spec_.axes[operand] == FoldAxes::kAll && !spec_.is_result(operand);
      if (size != wanted && !broadcasts) refuse(operand);
      if (size != 1) strides_at(d)[operand] = strides[static_cast<size_t>(own)];
    }
    if (own > 0) refuse(operand);
  }

  int64_t dims_along(int operand) const {
    int64_t count = 0;
    for (int64_t d = 0; d < ndim_; ++d) count += lies_along(operand, d) ? 1 : 0;
    return count;
  }

  [[noreturn]] void refuse(int operand) const {
    DimVector wanted;
    for (int64_t d = 0; d < ndim_; ++d) {
      if (lies_along(operand, d)) wanted.push_back(sizes_[static_cast<size_t>(d)]);
    }
    OW_THROW(ErrorKind::kRuntime, spec_.name, "(): expected '", spec_.names[operand],
             "' to have the sizes ", IntList(wanted), " beside '", spec_.names[whole_],
             "' of sizes ", sizes_, ", but got ", operands_[static_cast<size_t>(operand)]->sizes());
  }

  // Broadcast dimensions make poor inner loops.
  int64_t nearness(int64_t dim) const {
    const int64_t stride = strides_at(dim)[whole_];
    return stride == 0 ? INT64_MAX : stride;
  }

  FoldDims dims_of(bool folded) const {
    DimVector order;
    for (int64_t d = ndim_ - 1; d >= 0; --d) {
      if (folded_[static_cast<size_t>(d)] != folded || sizes_[static_cast<size_t>(d)] == 1)
        continue;
      size_t at = order.size();
      while (at > 0 && nearness(order[at - 1]) > nearness(d)) --at;
      order.insert(at, d);
    }
    FoldDims dims(order.size(), spec_.num_operands());
    for (int64_t d : order) {
      const int64_t size = sizes_[static_cast<size_t>(d)];
      if (dims.ndim() > 0 && dims.joins(strides_at(d))) {
        dims.sizes.back() *= size;
      } else {
        dims.append(size, strides_at(d));
      }
    }
    return dims;
  }

  const FoldSpec& spec_;
  std::span<const Tensor* const> operands_;
  DimMask folded_;
  int whole_;
  IntList sizes_;
  int64_t ndim_;
  size_t count_;      // of operands
  int64_t* strides_;  // by dimension, then by operand
  std::unique_ptr<int64_t[]> heap_;
  int64_t inline_[kInline];
};

}  // namespace

DimMask FoldedDims::of(int64_t ndim) const {
  if (all_) return every_dim(ndim);
  if (last_ == 0 && !listed_.empty()) return reduced_dims(IntList(listed_), ndim);
  DimMask mask;
  OW_CHECK(last_ <= ndim, "expected a tensor of at least ", last_, " dimensions, but got one of ",
           ndim);
  for (int64_t d = ndim - last_; d < ndim; ++d) mask.set(static_cast<size_t>(d));
  return mask;
}

int whole_operand(const FoldSpec& spec, std::span<const Tensor* const> operands) {
  for (int k = 0; k < spec.num_operands(); ++k) {
    const Tensor* tensor = operands[static_cast<size_t>(k)];
    if (spec.axes[k] == FoldAxes::kAll && tensor != nullptr && tensor->defined()) return k;
  }
  return 0;  // not reached: the generator has seen to it that there is one
}

ScalarType fold_dtype(std::span<const Tensor* const> results) {
  ScalarType found = kLong;
  for (const Tensor* result : results) {
    if (!result->defined() || !is_floating(result->dtype())) continue;
    const ScalarType own = compute_dtype(result->dtype());
    if (found == kLong || own == kDouble) found = own;
  }
  return found;
}

FoldPlan plan_fold(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded) {
  return FoldPlanner(spec, operands, folded).plan();
}

}  // namespace opweave::plans
