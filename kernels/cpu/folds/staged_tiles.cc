// Bringing tiles of rows.
#include "kernels/cpu/folds/staged_tiles.h"

#include <algorithm>
#include <memory>

#include "kernels/plans/divide_up.h"

namespace opweave::cpu {
namespace {

using plans::FoldAxes;

// The tiles of one thread.
class StagedTiles {
 public:
  StagedTiles(const FoldRange& range, FoldLoop loop, bool turned)
      : spec_(*range.spec), range_(range), stage_(*range.stage), loop_(loop), turned_(turned) {
    kept_ = &range.plan->kept;
    folded_ = &range.plan->folded;
    elements_ = folded_->numel();
    rows_ = kept_->numel();
    tile_.spec = range.spec;
    tile_.plan = &plan_;
    tile_.params = range.params;
    tile_.stage = range.stage;
    tile_.tile = turned ? range.tile : std::min(range.tile, rows_together(elements_));
    std::copy(std::begin(range.sums), std::end(range.sums), std::begin(tile_.sums));
    make_plan();
  }

  void run() {
    for (int64_t t = range_.begin; t < range_.end; ++t) {
      first_ = t * range_.tile;
      const int64_t count = std::min(range_.tile, rows_ - first_);
      plan_.kept.sizes[0] = count;
      tile_.begin = 0;
      tile_.end = plans::divide_up(count, tile_.tile);
      for (int k = 0; k < spec_.first_result(); ++k) {
        const bool is_shared = spec_.axes[k] == FoldAxes::kFolded;
        if (memory_[k] != nullptr && range_.data[k] != nullptr) move(k, is_shared ? 1 : count);
      }
      loop_(tile_);
      for (int k = spec_.first_result(); k < spec_.num_operands(); ++k) {
        if (memory_[k] != nullptr && range_.data[k] != nullptr) move(k, count);
      }
    }
  }

 private:
  int64_t row_stride(int k) const {
    if (spec_.axes[k] == FoldAxes::kFolded) return 0;
    return turned_ || spec_.axes[k] == FoldAxes::kKept ? 1 : elements_;
  }
  int64_t stride(int k) const {
    if (spec_.axes[k] == FoldAxes::kKept) return 0;
    return turned_ && spec_.axes[k] == FoldAxes::kAll ? range_.tile : 1;
  }

  // What is the same for all rows stays where it is, if one stride says where; so do sums over
  // rows. All else has a place for a tile.
  void make_plan() {
    int64_t rows[plans::kMaxFoldOperands], elements[plans::kMaxFoldOperands];
    for (int k = 0; k < spec_.num_operands(); ++k) {
      const FoldAxes axes = spec_.axes[k];
      rows[k] = row_stride(k);
      elements[k] = stride(k);
      tile_.data[k] = range_.data[k];
      const bool is_flat = spec_.is_result(k) || folded_->ndim() <= 1;
      if (axes == FoldAxes::kFolded && range_.data[k] != nullptr && is_flat) {
        if (!spec_.is_result(k)) elements[k] = folded_->stride(k, 0);
        continue;
      }
      const int64_t n =
          (axes == FoldAxes::kKept ? 1 : elements_) * (axes == FoldAxes::kFolded ? 1 : range_.tile);
      memory_[k].reset(new char[static_cast<size_t>(n * stage_.computed_item())]());
      tile_.data[k] = memory_[k].get();
    }
    // Coordinates run along what is folded; others pass through no tile.
    for (int k = spec_.num_operands(); k < spec_.num_places(); ++k) {
      rows[k] = 0;
      elements[k] = folded_->stride(k, 0);
    }
    plan_.kept = plans::FoldDims(1, spec_.num_places());
    plan_.folded = plans::FoldDims(1, spec_.num_places());
    plan_.kept.append(range_.tile, rows);
    plan_.folded.append(elements_, elements);
  }

  // Rectangle by rectangle: rows along the innermost dimension that is kept, elements along the
  // innermost one that is folded.
  void move(int k, int64_t count) {
    const bool is_number = spec_.is_number(k);
    const int64_t inner = kept_->ndim() == 0 ? 1 : kept_->sizes[0];
    const int64_t run = is_number || folded_->ndim() == 0 ? 1 : folded_->sizes[0];
    const int64_t runs = is_number ? 1 : run == 0 ? 0 : elements_ / run;
    for (int64_t r = 0; r < count;) {
      const int64_t from = (first_ + r) % inner, rows = std::min(count - r, inner - from);
      const int64_t row_offset = kept_->offset(k, first_ + r);
      for (int64_t at = 0; at < runs; ++at) {
        FoldStage::Place place{nullptr, kept_->stride(k, 0), is_number ? 0 : folded_->stride(k, 0),
                               rows, run};
        const int64_t begin =
            row_offset + (is_number || at == 0 ? 0 : folded_->offset(k, at * run));
        place.data = static_cast<char*>(range_.data[k]) + begin * stage_.item(k);
        char* const memory =
            memory_[k].get() + (r * row_stride(k) + at * run * stride(k)) * stage_.computed_item();
        if (spec_.is_result(k)) {
          stage_.write(k, place, memory, row_stride(k), stride(k));
        } else {
          stage_.read(k, place, memory, row_stride(k), stride(k));
        }
      }
      r += rows;
    }
  }

  const plans::FoldSpec& spec_;
  const FoldRange& range_;
  const FoldStage& stage_;
  FoldLoop loop_;
  bool turned_;
  const plans::FoldDims *kept_, *folded_;
  int64_t elements_, rows_;
  plans::FoldPlan plan_;  // of a tile
  FoldRange tile_;
  int64_t first_ = 0;
  std::unique_ptr<char[]> memory_[plans::kMaxFoldOperands];
};

}  // namespace

void run_staged_tiles(const FoldRange& range, FoldLoop loop, bool turned) {
  StagedTiles(range, loop, turned).run();
}

}  // namespace opweave::cpu
