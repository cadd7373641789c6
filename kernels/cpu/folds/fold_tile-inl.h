// The rows that are computed together, and their numbers, one lane each.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_
#endif

#include <algorithm>

#include "kernels/cpu/folds/fold_lanes-inl.h"
#include "kernels/cpu/folds/fold_loops.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// What both ways of walking share. `Shape` says how many operands and slots there are; operands are
// inputs, those with one number a row, and results, in this order.
template <class Shape, class T, int64_t kMost>
class FoldTile {
 public:
  using Lanes = FoldLanes<T>;
  using V = typename Lanes::V;
  using Wide = typename Lanes::Wide;
  static constexpr int64_t kWidth = Lanes::kWidth;
  static constexpr int kOperands = Shape::kInputs + Shape::kRows + Shape::kResults;
  static constexpr int kFirstResult = Shape::kInputs + Shape::kRows;
  static constexpr int kSlots = Shape::kSlots == 0 ? 1 : Shape::kSlots;

  // Of the last vector of rows some lanes are idle.
  struct Numbers {
    HWY_ALIGN T slots[kSlots][kMost + kWidth];
    HWY_ALIGN T rows[Shape::kRows == 0 ? 1 : Shape::kRows][kMost + kWidth];
    HWY_ALIGN T result[kMost + kWidth];
  };

  FoldTile(const FoldRange& range, Numbers& numbers)
      : range_(range),
        kept_(range.plan->kept),
        folded_(range.plan->folded),
        elements_(folded_.numel()),
        numbers_(numbers) {}

  // `offsets` of the first row, in elements of each operand.
  OW_FOLD void move_to(const int64_t* offsets, int64_t rows) {
    count_ = rows;
    for (int k = 0; k < kOperands; ++k) first_[k] = offsets[k];
    for (int k = 0; k < Shape::kRows; ++k) read_numbers(Shape::kInputs + k, numbers_.rows[k]);
  }

  // --- what programs use
  OW_FOLD auto tag() const { return typename Lanes::D(); }
  template <int K>
  OW_FOLD V param() const {
    return Lanes::set(range_.params[K].template to<T>());
  }
  template <int kSlot, class Value>
  OW_FOLD void value(const Value& value) {
    const Value of = value;
    for (int64_t c = 0; c < count_; c += kWidth)
      Lanes::store(of(NumbersAt{*this, c}), numbers_.slots[kSlot] + c);
  }
  template <int K, class Value>
  OW_FOLD void result(const Value& value) {
    constexpr int kOperand = kFirstResult + K;
    if (range_.data[kOperand] == nullptr) return;
    const Value of = value;
    for (int64_t c = 0; c < count_; c += kWidth)
      Lanes::store(of(NumbersAt{*this, c}), numbers_.result + c);
    write_numbers(kOperand, numbers_.result);
  }

 protected:
  // A vector of rows.
  struct NumbersAt {
    const FoldTile& tile;
    int64_t place;

    OW_FOLD V size() const { return Lanes::set(static_cast<T>(tile.elements_)); }
    template <int kSlot>
    OW_FOLD V state() const {
      return Lanes::load(tile.numbers_.slots[kSlot] + place);
    }
    template <int K>
    OW_FOLD V row() const {
      return Lanes::load(tile.numbers_.rows[K] + place);
    }
  };

  T* data(int k) const { return static_cast<T*>(range_.data[k]); }
  int64_t step(int k) const { return kept_.stride(k, 0); }  // from row to row

  // A rectangle of an operand that passes through the stage.
  FoldStage::Place place(int k, int64_t offset, int64_t row_stride, int64_t stride, int64_t rows,
                         int64_t n) const {
    char* const begin = static_cast<char*>(range_.data[k]);
    return {begin == nullptr ? nullptr : begin + offset * range_.stage->item(k), row_stride, stride,
            rows, n};
  }

  const FoldRange& range_;
  const plans::FoldDims &kept_, &folded_;
  const int64_t elements_;  // of a row
  Numbers& numbers_;
  int64_t count_ = 0;         // rows
  int64_t first_[kOperands];  // where the first row begins, in elements

 private:
  void read_numbers(int k, T* to) const {
    if (range_.is_staged(k))
      return range_.stage->read(k, place(k, first_[k], 0, step(k), 1, count_), to, 0, 1);
    const T* const from = data(k) + first_[k];
    for (int64_t r = 0; r < count_; ++r) to[r] = from[r * step(k)];
  }
  void write_numbers(int k, const T* from) const {
    if (range_.is_staged(k))
      return range_.stage->write(k, place(k, first_[k], 0, step(k), 1, count_), from, 0, 1);
    T* const to = data(k) + first_[k];
    for (int64_t r = 0; r < count_; ++r) to[r * step(k)] = from[r];
  }
};

// Runs a program over the tiles of a range.
template <class Program, class Tile>
OW_FOLD void run_tiles(const FoldRange& range, Tile& tile) {
  const plans::FoldDims& kept = range.plan->kept;
  const int64_t inner = kept.ndim() == 0 ? 1 : kept.sizes[0];
  const int64_t tiles = (inner + range.tile - 1) / range.tile;
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t outer = i / tiles, from = (i - outer * tiles) * range.tile;
    int64_t offsets[Tile::kOperands] = {};
    if (from != 0) {
      for (int k = 0; k < Tile::kOperands; ++k) offsets[k] = from * kept.stride(k, 0);
    }
    if (kept.ndim() > 1) kept.add_offsets(outer, Tile::kOperands, offsets, /*first=*/1);
    tile.move_to(offsets, std::min(range.tile, inner - from));
    Program::run(tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
