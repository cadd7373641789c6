// Turning tiles of rows.
#include "kernels/cpu/folds/short_rows.h"

#include <algorithm>
#include <memory>

namespace opweave::cpu {
namespace {

using plans::FoldAxes;

// The tiles of one thread. Word: an unsigned integer as large as an element.
template <class Word>
class ShortRows {
 public:
  ShortRows(const plans::FoldSpec& spec, const FoldRange& range, FoldLoop columns)
      : spec_(spec), range_(range), columns_(columns), n_(range.plan->folded.numel()) {
    tile_.plan = &plan_;
    tile_.params = range.params;
    tile_.begin = 0;
    tile_.end = 1;
    std::copy(std::begin(range.sums), std::end(range.sums), std::begin(tile_.sums));
    for (int k = 0; k < spec_.num_operands(); ++k) prepare(k);
    for (int k = spec_.num_operands(); k < spec_.num_places(); ++k) {
      plan_.kept.strides[k].push_back(0);
      plan_.folded.strides[k].push_back(n_ > 1 ? range.plan->folded.strides[k][0] : 0);
    }
  }

  void run() {
    const int64_t rows = range_.plan->kept.numel();
    for (int64_t t = range_.begin; t < range_.end; ++t) {
      first_ = t * kShortRowTile;
      count_ = std::min(kShortRowTile, rows - first_);
      find_offsets();
      plan_.kept.sizes[0] = count_;
      for (int k = 0; k < spec_.first_result(); ++k) turn_in(k);
      columns_(tile_);
      for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) turn_out(k);
    }
  }

 private:
  // An operand that is turned has a place for a tile; one without rows stays where it is.
  void prepare(int k) {
    const bool all = spec_.axes[k] == FoldAxes::kAll, kept = spec_.axes[k] == FoldAxes::kKept;
    const plans::FoldDims& folded = range_.plan->folded;
    const int64_t own = folded.ndim() == 0 ? 0 : folded.strides[k][0];
    if (k == 0) {
      plan_.kept.sizes.push_back(0);
      plan_.folded.sizes.push_back(n_);
    }
    plan_.kept.strides[k].push_back(all || kept ? 1 : 0);
    plan_.folded.strides[k].push_back(all ? kShortRowTile : kept ? 0 : own);
    tile_.data[k] = range_.data[k];
    varies_[k] = false;
    for (size_t d = 0; d < range_.plan->kept.ndim(); ++d)
      varies_[k] = varies_[k] || range_.plan->kept.strides[k][d] != 0;
    is_turned_[k] = range_.data[k] != nullptr && (all || kept) && (varies_[k] || own != 0);
    if (!is_turned_[k]) {
      plan_.folded.strides[k][0] = own;
      return;
    }
    memory_[k].reset(new Word[static_cast<size_t>((all ? n_ : 1) * kShortRowTile)]);
    tile_.data[k] = memory_[k].get();
  }

  void find_offsets() {
    for (int64_t r = 0; r < count_; ++r) {
      int64_t offsets[plans::kMaxFoldOperands] = {};
      range_.plan->kept.add_offsets(first_ + r, spec_.num_operands(), offsets);
      for (int k = 0; k < spec_.num_operands(); ++k) offsets_[k][r] = offsets[k];
    }
  }

  int64_t elements(int k) const { return spec_.axes[k] == FoldAxes::kAll ? n_ : 1; }
  int64_t stride(int k) const {
    const plans::FoldDims& folded = range_.plan->folded;
    return folded.ndim() == 0 ? 0 : folded.strides[k][0];
  }

  void turn_in(int k) {
    if (!is_turned_[k]) return;
    const Word* const from = static_cast<const Word*>(range_.data[k]);
    for (int64_t r = 0; r < count_; ++r) {
      const Word* const row = from + offsets_[k][r];
      for (int64_t e = 0; e < elements(k); ++e)
        memory_[k][static_cast<size_t>(e * kShortRowTile + r)] = row[e * stride(k)];
    }
  }
  void turn_out(int k) {
    if (!is_turned_[k]) return;
    Word* const to = static_cast<Word*>(range_.data[k]);
    for (int64_t r = 0; r < count_; ++r) {
      Word* const row = to + offsets_[k][r];
      for (int64_t e = 0; e < elements(k); ++e)
        row[e * stride(k)] = memory_[k][static_cast<size_t>(e * kShortRowTile + r)];
    }
  }

  const plans::FoldSpec& spec_;
  const FoldRange& range_;
  FoldLoop columns_;
  int64_t n_;
  plans::FoldPlan plan_;  // of a tile
  FoldRange tile_;
  int64_t first_ = 0, count_ = 0;
  bool varies_[plans::kMaxFoldOperands] = {}, is_turned_[plans::kMaxFoldOperands] = {};
  std::unique_ptr<Word[]> memory_[plans::kMaxFoldOperands];
  int64_t offsets_[plans::kMaxFoldOperands][kShortRowTile];
};

}  // namespace

bool are_short(const plans::FoldPlan& plan, int64_t rows) {
  constexpr int64_t kFewRows = 16;
  return plan.folded.ndim() <= 1 && plan.folded.numel() <= kShortRow && rows >= kFewRows;
}

void run_short_rows(const plans::FoldSpec& spec, const FoldRange& range, FoldLoop columns,
                    int64_t size) {
  if (size == 4) return ShortRows<uint32_t>(spec, range, columns).run();
  ShortRows<uint64_t>(spec, range, columns).run();
}

}  // namespace opweave::cpu
