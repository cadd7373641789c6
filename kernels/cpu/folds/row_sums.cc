// Adding up rows.
#include "kernels/cpu/folds/row_sums.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/plans/divide_up.h"
#include "kernels/plans/odometer.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

constexpr DtypeMask kComputed = dtype_bit(kFloat) | dtype_bit(kDouble) | dtype_bit(kLong);
constexpr int64_t kMostParts = 16;
constexpr int64_t kRowsAtOnce = 64;  // that are added up in the type of the computation

}  // namespace

// Sums are added up one element after the other, wherever they go.
RowSums::RowSums(const plans::FoldSpec& spec, std::span<const Tensor* const> operands,
                 plans::FoldPlan& plan, ScalarType dtype, bool in_rows)
    : spec_(spec),
      operands_(operands),
      plan_(plan),
      dtype_(dtype),
      in_rows_(in_rows),
      elements_(plan.folded.numel()) {
  for (int r = 0; r < spec.num_results; ++r) {
    const int k = spec.first_result() + r;
    if (!spec.is_sum_of_rows(k)) continue;
    int64_t stride = 1;
    for (size_t d = 0; d < plan.folded.ndim(); ++d) {
      strides_[r].push_back(plan.folded.stride(k, d));
      plan.folded.set_stride(k, d, stride);
      stride *= plan.folded.sizes[d];
    }
  }
}

bool RowSums::is_sum(int result) const {
  const int k = spec_.first_result() + result;
  return operands_[static_cast<size_t>(k)] != nullptr && spec_.is_sum_of_rows(k);
}

void RowSums::run(const FoldRange& range, int64_t units,
                  function_ref<void(const FoldRange&)> compute) {
  const int64_t few = in_rows_ ? std::max<int64_t>(kRowsAtOnce / range.tile, 1) : 1;
  const int64_t parts = std::clamp<int64_t>(units / few, 1, kMostParts);
  const int64_t each = plans::divide_up(units, parts), n = std::max<int64_t>(elements_, 1);
  const auto sums = std::make_unique<double[]>(static_cast<size_t>(parts * spec_.num_results * n));
  const auto at = [&](int64_t part, int result) {
    return &sums[static_cast<size_t>((part * spec_.num_results + result) * n)];
  };
  parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
    for (int64_t p = from; p < to; ++p) {
      FoldRange part = range;
      for (int r = 0; r < spec_.num_results; ++r) {
        if (is_sum(r)) part.sums[r] = at(p, r);
      }
      part.begin = p * each;
      part.end = std::min(units, (p + 1) * each);
      if (part.begin < part.end) run_part(part, compute);
    }
  });
  for (int r = 0; r < spec_.num_results; ++r) {
    if (!is_sum(r)) continue;
    for (int64_t p = 1; p < parts; ++p) {
      for (int64_t i = 0; i < elements_; ++i) at(0, r)[i] += at(p, r)[i];
    }
    write(r, at(0, r));
  }
}

// Rows add to memory of the type of computation, which is emptied into float64 now and then.
void RowSums::run_part(FoldRange part, function_ref<void(const FoldRange&)> compute) const {
  if (!in_rows_) return compute(part);
  const int64_t end = part.end, few = std::max<int64_t>(kRowsAtOnce / part.tile, 1);
  std::vector<std::unique_ptr<char[]>> memory;
  for (int r = 0; r < spec_.num_results; ++r) {
    if (!is_sum(r)) continue;
    const size_t nbytes = static_cast<size_t>(std::max<int64_t>(elements_, 1)) * sizeof(double);
    memory.emplace_back(new char[nbytes]());
    const int k = spec_.first_result() + r;
    part.data[k] = memory.back().get();
    part.staged &= ~(1u << k);
  }
  for (int64_t at = part.begin; at < end; at += few) {
    part.begin = at;
    part.end = std::min(end, at + few);
    compute(part);
    for (int r = 0; r < spec_.num_results; ++r) {
      if (is_sum(r)) empty(part.data[spec_.first_result() + r], part.sums[r]);
    }
  }
}

void RowSums::empty(void* from, double* to) const {
  visit_dtype<kComputed>(spec_.name, dtype_, [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < elements_; ++i)
      to[i] += static_cast<double>(std::exchange(static_cast<T*>(from)[i], T(0)));
  });
}

void RowSums::write(int result, const double* sums) const {
  const Tensor& out = *operands_[static_cast<size_t>(spec_.first_result() + result)];
  Tensor to = out.dtype() == dtype_
                  ? out
                  : make_tensor_strided(out.sizes(), out.strides(), dtype_, out.device());
  plans::Odometer at(plan_.folded.sizes, strides_[result], 0);
  visit_dtype<kComputed>(spec_.name, dtype_, [&]<class T>(TypeTag<T>) {
    T* const data = static_cast<T*>(to.raw_data());
    for (int64_t i = 0; i < elements_; ++i, at.next()) data[at.offset()] = static_cast<T>(sums[i]);
  });
  if (to.is_same(out)) return;
  Tensor target = out;
  copy_elements(target, to);
}

}  // namespace opweave::cpu
