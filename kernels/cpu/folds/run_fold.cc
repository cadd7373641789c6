// Running folds.
#include "kernels/cpu/folds/run_fold.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/folds/short_rows.h"
#include "kernels/plans/odometer.h"
#include "runtime/core/base/error.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

using plans::FoldAxes;

// What folds are computed in.
constexpr DtypeMask kComputed = dtype_bit(kFloat) | dtype_bit(kDouble) | dtype_bit(kLong);

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

class FoldRun {
 public:
  explicit FoldRun(const FoldCall& call)
      : call_(call),
        spec_(call.spec),
        whole_(plans::whole_operand(spec_, call.operands)),
        folded_(call.dims.of(call.operands[static_cast<size_t>(whole_)]->dim())),
        dtype_(dtype_of(call, folded_)),
        size_(static_cast<int64_t>(element_size(dtype_))) {}

  void run() {
    if (nothing_wanted()) return;
    for (int k = 0; k < spec_.num_operands(); ++k) take(k);
    make_plan();
    if (plan_.kept.numel() == 0) return finish_empty();
    const bool one = plan_.folded.ndim() == 0;  // element a row: many rows make vectors
    if (!(one && lies_in_columns()) && !lies_in_rows() && !lies_in_columns()) lay_out();
    fill_missing();
    compute();
    finish();
  }

 private:
  // Places in tensors of whole numbers may be made of floats.
  static ScalarType dtype_of(const FoldCall& call, DimMask folded) {
    const ScalarType found = plans::fold_dtype(call.spec, call.operands, folded, call.named);
    const bool has = call.loops.by_type[static_cast<int>(found)].rows != nullptr;
    return found == kLong && !has ? kFloat : found;
  }

  bool nothing_wanted() const {
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      if (given(k) != nullptr) return false;
    }
    return true;
  }

  const Tensor* given(int k) const {
    const Tensor* tensor = call_.operands[static_cast<size_t>(k)];
    return tensor != nullptr && tensor->defined() ? tensor : nullptr;
  }

  // Operands in the type of computation. Inputs lie as they did; of results the memory beside them.
  void take(int k) {
    const Tensor* tensor = given(k);
    if (tensor == nullptr) return;
    if (!spec_.is_result(k)) {
      used_[k] = converted(*tensor, dtype_);
    } else if (tensor->dtype() == dtype_ && spec_.axes[k] != FoldAxes::kFolded) {
      used_[k] = *tensor;
    } else {
      used_[k] = make_tensor(tensor->sizes(), dtype_, tensor->device());
    }
  }

  std::span<const Tensor* const> pointers() {
    for (int k = 0; k < spec_.num_operands(); ++k) pointers_[k] = &used_[k];
    return {pointers_, static_cast<size_t>(spec_.num_operands())};
  }

  // Sums over rows are added up one element after the other, wherever they go.
  void make_plan() {
    plan_ = plans::plan_fold(spec_, pointers(), folded_, call_.named);
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      if (spec_.axes[k] != FoldAxes::kFolded) continue;
      strides_of_sums_[k] = plan_.folded.strides[k];
      int64_t stride = 1;
      for (size_t d = 0; d < plan_.folded.ndim(); ++d) {
        plan_.folded.strides[k][d] = stride;
        stride *= plan_.folded.sizes[d];
      }
    }
  }

  // Whether every operand that has elements along both lies one by one in the dimension.
  bool lies_one_by_one(const plans::FoldDims& dims, FoldAxes other) const {
    if (dims.ndim() == 0) return false;
    for (int k = 0; k < spec_.num_operands(); ++k) {
      if (!used_[k].defined() || spec_.axes[k] == other) continue;
      if (dims.strides[k][0] != 1) return false;
    }
    return true;
  }
  bool lies_in_rows() {
    by_columns_ = false;
    return lies_one_by_one(plan_.folded, FoldAxes::kKept) || plan_.folded.ndim() == 0;
  }
  bool lies_in_columns() {
    by_columns_ = lies_one_by_one(plan_.kept, FoldAxes::kFolded);
    return by_columns_;
  }

  // Copies with what is folded last, which lie in rows.
  void lay_out() {
    const IntList sizes = used_[whole_].sizes();
    DimVector order;
    for (const bool folded : {false, true}) {
      for (size_t d = 0; d < sizes.size(); ++d) {
        if (folded_[d] == folded) order.push_back(static_cast<int64_t>(d));
      }
    }
    DimVector strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides[order[i]] = stride;
      stride *= sizes[order[i]];
    }
    for (int k = 0; k < spec_.num_operands(); ++k) {
      if (!used_[k].defined()) continue;
      if (spec_.axes[k] == FoldAxes::kAll) {
        Tensor copy = make_tensor_strided(sizes, strides, dtype_, used_[k].device());
        if (!spec_.is_result(k)) copy_elements(copy, used_[k]);
        used_[k] = copy;
      } else if (spec_.axes[k] == FoldAxes::kFolded && !used_[k].is_contiguous()) {
        used_[k] = laid_out(used_[k]);
      }
    }
    make_plan();
    by_columns_ = false;
  }

  // In the place of what is not given zeros are read, and not used.
  void fill_missing() {
    const int64_t n = std::max<int64_t>(
        std::max(plan_.folded.ndim() == 0 ? 1 : plan_.folded.sizes[0],
                 plan_.kept.ndim() == 0 ? 1 : std::min(plan_.kept.sizes[0], kFoldTile)),
        kShortRowTile);
    for (int k = 0; k < spec_.first_result(); ++k) {
      if (used_[k].defined()) continue;
      if (!zeros_) zeros_.reset(new char[static_cast<size_t>(n * size_)]());
      data_[k] = zeros_.get();
    }
  }

  // Whether a result that is a sum over rows is wanted.
  bool is_sum(int result) const {
    const int k = spec_.first_result() + result;
    return used_[k].defined() && spec_.axes[k] == FoldAxes::kFolded;
  }
  bool has_sums() const {
    for (int r = 0; r < spec_.num_results; ++r) {
      if (is_sum(r)) return true;
    }
    return false;
  }

  void* data(int k) { return used_[k].defined() ? used_[k].raw_data() : data_[k]; }

  void compute() {
    const FoldLoopsOf loops = call_.loops.by_type[static_cast<int>(dtype_)];
    OW_CHECK_NOT_IMPLEMENTED(loops.rows != nullptr, spec_.name, "(): not implemented for ",
                             dtype_name(dtype_));
    FoldRange range;
    range.plan = &plan_;
    for (int k = 0; k < spec_.num_operands(); ++k) range.data[k] = data(k);
    range.params = call_.params.data();
    const int64_t rows = plan_.kept.numel();
    const int64_t inner = plan_.kept.ndim() == 0 ? 1 : plan_.kept.sizes[0];
    const int64_t units = by_columns_ ? rows / inner * divide_up(inner, kFoldTile) : rows;
    const int64_t work = std::max<int64_t>(rows * plan_.folded.numel() / units, 1);
    const FoldLoop loop = by_columns_ ? loops.columns : loops.rows;
    if (!by_columns_ && call_.named.empty() && are_short(plan_, rows))
      return compute_short(range, loops.columns, rows);
    if (has_sums()) return compute_sums(range, loop, units);
    const int64_t grain = std::max<int64_t>(kGrainSize / 8 / work, 1);
    parallel_for(0, units, grain, [&](int64_t begin, int64_t end) {
      FoldRange part = range;
      part.begin = begin;
      part.end = end;
      loop(part);
    });
  }

  void compute_short(FoldRange range, FoldLoop columns, int64_t rows) {
    const int64_t grain = std::max<int64_t>(
        kGrainSize / 8 / std::max<int64_t>(plan_.folded.numel() * kShortRowTile, 1), 1);
    const int64_t tiles = divide_up(rows, kShortRowTile);
    if (has_sums()) {
      in_parts(range, tiles, [&](FoldRange& part) { run_short_rows(spec_, part, columns, size_); });
      return;
    }
    parallel_for(0, tiles, grain, [&](int64_t begin, int64_t end) {
      FoldRange part = range;
      part.begin = begin;
      part.end = end;
      run_short_rows(spec_, part, columns, size_);
    });
  }

  // Sums over rows: each part of the rows, of which there are as many whatever the threads, adds up
  // its own; in float32 those of a few rows, in float64 all of them, in order.
  void compute_sums(const FoldRange& range, FoldLoop loop, int64_t units) {
    in_parts(range, units, [&](FoldRange& part) { sum_part(part, loop); });
  }

  template <class Compute>
  void in_parts(const FoldRange& range, int64_t units, const Compute& compute) {
    constexpr int64_t kMostParts = 16;
    const int64_t few = by_columns_ || plan_.folded.numel() <= kShortRow ? 1 : 64;
    const int64_t parts = std::clamp<int64_t>(units / few, 1, kMostParts);
    const int64_t each = divide_up(units, parts), n = plan_.folded.numel();
    const auto sums = std::make_unique<double[]>(
        static_cast<size_t>(parts * spec_.num_results * std::max<int64_t>(n, 1)));
    parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
      for (int64_t p = from; p < to; ++p) {
        FoldRange part = range;
        for (int r = 0; r < spec_.num_results; ++r) {
          if (is_sum(r)) part.sums[r] = &sums[static_cast<size_t>((p * spec_.num_results + r) * n)];
        }
        part.begin = p * each;
        part.end = std::min(units, (p + 1) * each);
        if (part.begin < part.end) compute(part);
      }
    });
    for (int r = 0; r < spec_.num_results; ++r) {
      if (!is_sum(r)) continue;
      double* const total = &sums[static_cast<size_t>(r * n)];
      for (int64_t p = 1; p < parts; ++p) {
        const double* const more = &sums[static_cast<size_t>((p * spec_.num_results + r) * n)];
        for (int64_t i = 0; i < n; ++i) total[i] += more[i];
      }
      write_sums(r, total);
    }
  }

  // Rows add to memory of the type of computation, which is emptied into float64 now and then.
  void sum_part(FoldRange& part, FoldLoop loop) {
    constexpr int64_t kRowsAtOnce = 64;
    if (by_columns_) return loop(part);
    const int64_t begin = part.begin, end = part.end;
    const int64_t n = plan_.folded.numel();
    std::vector<std::unique_ptr<char[]>> memory;
    for (int r = 0; r < spec_.num_results; ++r) {
      if (!is_sum(r)) continue;
      memory.emplace_back(new char[static_cast<size_t>(std::max<int64_t>(n, 1) * size_)]());
      part.data[spec_.first_result() + r] = memory.back().get();
    }
    for (int64_t at = begin; at < end; at += kRowsAtOnce) {
      part.begin = at;
      part.end = std::min(end, at + kRowsAtOnce);
      loop(part);
      for (int r = 0; r < spec_.num_results; ++r) {
        if (is_sum(r)) empty(part.data[spec_.first_result() + r], part.sums[r], n);
      }
    }
  }

  void empty(void* from, double* to, int64_t n) const {
    visit_dtype<kComputed>(spec_.name, dtype_, [&]<class T>(TypeTag<T>) {
      for (int64_t i = 0; i < n; ++i) {
        to[i] += static_cast<double>(std::exchange(static_cast<T*>(from)[i], T(0)));
      }
    });
  }

  void write_sums(int result, const double* sums) {
    const int k = spec_.first_result() + result;
    plans::Odometer at(plan_.folded.sizes, strides_of_sums_[k], 0);
    visit_dtype<kComputed>(spec_.name, dtype_, [&]<class T>(TypeTag<T>) {
      T* const to = static_cast<T*>(used_[k].raw_data());
      for (int64_t i = 0; i < plan_.folded.numel(); ++i, at.next())
        to[at.offset()] = static_cast<T>(sums[i]);
    });
  }

  // Without rows, sums over them are zero.
  void finish_empty() {
    for (int r = 0; r < spec_.num_results; ++r) {
      if (is_sum(r)) fill_elements(used_[spec_.first_result() + r], Scalar(0));
    }
    finish();
  }

  void finish() {
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      const Tensor* out = given(k);
      if (out == nullptr || used_[k].is_same(*out)) continue;
      Tensor to = *out;
      copy_elements(to, used_[k]);
    }
  }

  const FoldCall& call_;
  const plans::FoldSpec& spec_;
  int whole_;  // the operand that has all elements
  DimMask folded_;
  ScalarType dtype_;  // of the computation
  int64_t size_;      // of an element, in bytes
  plans::FoldPlan plan_;
  Tensor used_[plans::kMaxFoldOperands];
  const Tensor* pointers_[plans::kMaxFoldOperands] = {};
  void* data_[plans::kMaxFoldOperands] = {};
  DimVector strides_of_sums_[plans::kMaxFoldOperands];
  std::unique_ptr<char[]> zeros_;
  bool by_columns_ = false;
};

}  // namespace

void run_fold(const FoldCall& call) { FoldRun(call).run(); }

}  // namespace opweave::cpu
