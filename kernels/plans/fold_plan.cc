// Geometry of folds.
#include "kernels/plans/fold_plan.h"

#include <algorithm>

#include "runtime/core/base/error.h"

namespace opweave::plans {
namespace {

class FoldPlanner {
 public:
  FoldPlanner(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded,
              std::span<const int64_t> named)
      : spec_(spec),
        operands_(operands),
        folded_(folded),
        named_(named),
        whole_(whole_operand(spec, operands)),
        sizes_(operands[static_cast<size_t>(whole_)]->sizes()),
        ndim_(static_cast<int64_t>(sizes_.size())),
        count_(static_cast<size_t>(spec.num_places())) {
    if (count_ * sizes_.size() > kInline) heap_.reset(new int64_t[count_ * sizes_.size()]);
    strides_ = heap_ ? heap_.get() : inline_;
    std::fill_n(strides_, count_ * sizes_.size(), 0);
  }

  FoldPlan plan() {
    for (int k = 0; k < spec_.num_operands(); ++k) align(k);
    size_t named = 0;
    for (int k = spec_.num_operands(); k < spec_.num_places(); ++k)
      spec_.axes[k] == FoldAxes::kFolded ? count_folded(k) : count_along(k, named_[named++]);
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

  // In row-major order of what is folded.
  void count_folded(int coordinate) {
    int64_t step = 1;
    for (int64_t d = ndim_ - 1; d >= 0; --d) {
      if (!folded_[static_cast<size_t>(d)]) continue;
      strides_at(d)[coordinate] = step;
      step *= sizes_[static_cast<size_t>(d)];
    }
  }

  void count_along(int coordinate, int64_t dim) {
    const int64_t d = wrap_dim(dim, ndim_);
    if (ndim_ == 0) return;
    OW_CHECK(!folded_[static_cast<size_t>(d)], spec_.name, "(): the axis '",
             spec_.names[coordinate], "' is dimension ", d, ", which is another axis already");
    strides_at(d)[coordinate] = 1;
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
    FoldDims dims(order.size(), spec_.num_places());
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
  std::span<const int64_t> named_;
  int whole_;
  IntList sizes_;
  int64_t ndim_;
  size_t count_;      // of operands
  int64_t* strides_;  // by dimension, then by operand
  std::unique_ptr<int64_t[]> heap_;
  int64_t inline_[kInline];
};

// Whole numbers below it are float32s.
constexpr int64_t kPlacesOfFloat = int64_t{1} << 24;

// At most so many places have coordinates.
int64_t count_places(IntList sizes, DimMask folded, std::span<const int64_t> named) {
  int64_t along = 1, most = 0;
  for (size_t d = 0; d < sizes.size(); ++d) along *= folded[d] ? sizes[d] : 1;
  for (int64_t dim : named) {
    const int64_t d = wrap_dim(dim, static_cast<int64_t>(sizes.size()));
    if (!sizes.empty()) most = std::max(most, sizes[d]);
  }
  return std::max(along, most);
}

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

ScalarType fold_dtype(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded,
                      std::span<const int64_t> named) {
  const auto widest = [&](int from, int to) {
    ScalarType found = kLong;
    for (int k = from; k < to; ++k) {
      const Tensor* tensor = operands[static_cast<size_t>(k)];
      if (tensor == nullptr || !tensor->defined() || !is_floating(tensor->dtype())) continue;
      const ScalarType own = compute_dtype(tensor->dtype());
      if (found == kLong || own == kDouble) found = own;
    }
    return found;
  };
  ScalarType found = widest(spec.first_result(), spec.num_operands());
  const bool counts = found == kLong;
  if (counts) found = widest(0, spec.first_result());
  if (found != kFloat || !(counts || spec.num_coordinates > 0)) return found;
  const Tensor& whole = *operands[static_cast<size_t>(whole_operand(spec, operands))];
  return count_places(whole.sizes(), folded, named) > kPlacesOfFloat ? kDouble : kFloat;
}

FoldPlan plan_fold(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded,
                   std::span<const int64_t> named) {
  return FoldPlanner(spec, operands, folded, named).plan();
}

}  // namespace opweave::plans
