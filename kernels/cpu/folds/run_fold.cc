// Running folds.
#include "kernels/cpu/folds/run_fold.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/folds/row_sums.h"
#include "kernels/cpu/folds/staged_tiles.h"
#include "kernels/plans/divide_up.h"
#include "runtime/core/base/error.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

using plans::FoldAxes;

// Rows of so few elements are turned: lanes along them would be idle.
constexpr int64_t kShortRow = 12;
constexpr int64_t kTurnedTile = 128;  // rows that are turned together

class FoldRun {
 public:
  explicit FoldRun(const FoldCall& call)
      : call_(call),
        spec_(call.spec),
        whole_(plans::whole_operand(spec_, call.operands)),
        folded_(call.dims.of(call.operands[static_cast<size_t>(whole_)]->dim())),
        dtype_(dtype_of(call, folded_)) {}

  void run() {
    if (!find_operands()) return;
    range_.spec = &spec_;
    range_.plan = &plan_;
    plan_ = plans::plan_fold(spec_, operands(), folded_, call_.named);
    rows_ = plan_.kept.numel();
    elements_ = plan_.folded.numel();
    if (rows_ == 0) return empty_sums();
    loops_ = call_.loops.by_type[static_cast<int>(dtype_)];
    OW_CHECK_NOT_IMPLEMENTED(loops_.rows != nullptr, spec_.name, "(): not implemented for ",
                             dtype_name(dtype_));
    range_.params = call_.params.data();
    range_.stage = &stage_;
    choose();
    compute();
  }

 private:
  // Places in tensors of whole numbers may be made of floats.
  static ScalarType dtype_of(const FoldCall& call, DimMask folded) {
    const ScalarType found = plans::fold_dtype(call.spec, call.operands, folded, call.named);
    const bool has = call.loops.by_type[static_cast<int>(found)].rows != nullptr;
    return found == kLong && !has ? kFloat : found;
  }

  std::span<const Tensor* const> operands() const {
    return {operands_, static_cast<size_t>(spec_.num_operands())};
  }

  // False if no result is wanted.
  bool find_operands() {
    bool wanted = false;
    stage_.computed = dtype_;
    for (int k = 0; k < spec_.num_operands(); ++k) {
      const Tensor* tensor = call_.operands[static_cast<size_t>(k)];
      operands_[k] = tensor != nullptr && tensor->defined() ? tensor : nullptr;
      wanted = wanted || (spec_.is_result(k) && operands_[k] != nullptr);
      if (operands_[k] == nullptr) {
        range_.staged |= 1u << k;
        continue;
      }
      if (is_shared(k)) share(k);
      stage_.dtypes[k] = operands_[k]->dtype();
      if (stage_.dtypes[k] != dtype_) range_.staged |= 1u << k;
      range_.data[k] = operands_[k]->raw_data();
    }
    return wanted;
  }

  // Of all rows: converted once, for all of them.
  bool is_shared(int k) const { return spec_.axes[k] == FoldAxes::kFolded && !spec_.is_result(k); }
  void share(int k) {
    const Tensor& given = *operands_[k];
    if (given.dtype() == dtype_ && given.is_contiguous()) return;
    shared_.reserve(static_cast<size_t>(spec_.num_operands()));
    shared_.push_back(laid_out(converted(given, dtype_)));
    operands_[k] = &shared_.back();
  }

  // Whether what is computed lies one by one along the innermost dimension: results, and the
  // operand that has all elements.
  bool lies_one_by_one(const plans::FoldDims& dims) const {
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      if (operands_[k] != nullptr && spec_.axes[k] == FoldAxes::kAll && dims.stride(k, 0) != 1)
        return false;
    }
    return dims.stride(whole_, 0) == 1;
  }
  // Inputs that do not pass through the stage.
  void stage_others(const plans::FoldDims& dims, FoldAxes no_elements) {
    for (int k = 0; k < spec_.first_result(); ++k) {
      if (operands_[k] != nullptr && spec_.axes[k] != no_elements && !spec_.is_number(k) &&
          dims.stride(k, 0) != 1)
        range_.staged |= 1u << k;
    }
  }
  bool has_other_types(int first = 0) const {
    for (int k = first; k < spec_.num_operands(); ++k) {
      const bool has_elements = spec_.axes[k] == FoldAxes::kAll && operands_[k] != nullptr;
      if (has_elements && range_.is_staged(k)) return true;
    }
    return false;
  }

  // How elements are read. Long rows and columns pass through the stage block by block, short ones
  // by tiles.
  void choose() {
    const plans::FoldDims &kept = plan_.kept, &folded = plan_.folded;
    const int64_t inner = kept.ndim() == 0 ? 1 : kept.sizes[0];
    const bool rows = folded.ndim() == 0 || lies_one_by_one(folded);
    if (kept.ndim() > 0 && lies_one_by_one(kept)) {
      loop_ = loops_.columns;
      stage_others(kept, FoldAxes::kFolded);
      // Results that pass through the stage, and may be read again, have a place beside it.
      constexpr int64_t kPlaces = int64_t{1} << 20;
      const int64_t most =
          has_other_types(spec_.first_result()) ? kPlaces / std::max<int64_t>(elements_, 1) : inner;
      range_.tile = std::min(inner, std::clamp<int64_t>(most, 16, kColumnsTile));
    } else if (elements_ <= kShortRow && rows_ >= kTurnedTile / 8 && fits_tiles()) {
      tiles_ = turned_ = true;
      range_.tile = kTurnedTile;
      loop_ = loops_.columns;
    } else if (elements_ > kFoldBlock || (rows && !has_other_types()) || !fits_tiles()) {
      loop_ = loops_.rows;
      if (folded.ndim() > 0) stage_others(folded, FoldAxes::kKept);
      if (!rows) stage_results();
      range_.tile = std::min(inner, has_other_types() ? 1 : rows_together(elements_));
    } else {
      tiles_ = true;
      range_.tile =
          std::clamp<int64_t>(2 * kFoldBlock / std::max<int64_t>(elements_, 1), 1, kRowsTile);
      loop_ = loops_.rows;
    }
    if (tiles_) range_.tile = std::min(range_.tile, rows_);
    units_ = tiles_ ? plans::divide_up(rows_, range_.tile)
                    : rows_ / inner * plans::divide_up(inner, range_.tile);
  }
  // In a tile it is not known any more where rows are, nor how elements lie in several dimensions.
  bool fits_tiles() const {
    return call_.named.empty() && (spec_.num_coordinates == 0 || plan_.folded.ndim() <= 1);
  }
  void stage_results() {
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      if (spec_.axes[k] == FoldAxes::kAll) range_.staged |= 1u << k;
    }
  }

  void compute() {
    if (has_sums()) {
      RowSums(spec_, operands(), plan_, dtype_, !turned_ && loop_ == loops_.rows)
          .run(range_, units_, [&](const FoldRange& part) { compute(part); });
      return;
    }
    const int64_t work = std::max<int64_t>(rows_ * elements_ / units_, 1);
    // Few long rows are shared out among threads themselves.
    const bool few =
        units_ < 4 * num_threads() && loop_ == loops_.rows && elements_ > kFoldPart * kFoldBlock;
    const int64_t grain = few ? units_ : std::max<int64_t>(kGrainSize / 8 / work, 1);
    if (units_ <= grain) return compute(range_, 0, units_);
    parallel_for(0, units_, grain,
                 [&](int64_t begin, int64_t end) { compute(range_, begin, end); });
  }
  void compute(FoldRange part, int64_t begin, int64_t end) {
    part.begin = begin;
    part.end = end;
    compute(part);
  }
  void compute(const FoldRange& part) {
    if (tiles_) return run_staged_tiles(part, loop_, turned_);
    loop_(part);
  }

  // Whether a result that is a sum over rows is wanted.
  bool is_sum(int k) const { return spec_.is_sum_of_rows(k) && operands_[k] != nullptr; }
  bool has_sums() const {
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      if (is_sum(k)) return true;
    }
    return false;
  }
  // Without rows, sums over them are zero.
  void empty_sums() {
    for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
      if (!is_sum(k)) continue;
      Tensor sum = *operands_[k];
      fill_elements(sum, Scalar(0));
    }
  }

  const FoldCall& call_;
  const plans::FoldSpec& spec_;
  const int whole_;  // the operand that has all elements
  const DimMask folded_;
  const ScalarType dtype_;                           // of the computation
  const Tensor* operands_[plans::kMaxFoldOperands];  // null: it is not there
  std::vector<Tensor> shared_;
  FoldStage stage_;
  plans::FoldPlan plan_;
  FoldRange range_;
  FoldLoopsOf loops_;
  FoldLoop loop_ = nullptr;
  bool tiles_ = false, turned_ = false;
  int64_t rows_ = 0, elements_ = 0, units_ = 0;  // units: tiles
};

}  // namespace

void run_fold(const FoldCall& call) { FoldRun(call).run(); }

}  // namespace opweave::cpu
