// The rows that are computed together, and their numbers, one lane each.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_FOLD_TILE_INL_H_
#endif

#include "kernels/cpu/folds/fold_lanes-inl.h"
#include "kernels/cpu/folds/fold_places.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// What both ways of walking share. `Shape` says how many operands and slots there are.
template <class Shape, class T, class Places, int64_t kMost>
class FoldTile {
 public:
  using Lanes = FoldLanes<T>;
  using V = typename Lanes::V;
  using Wide = typename Lanes::Wide;
  static constexpr int64_t kWidth = Lanes::kWidth;
  static constexpr int kOperands = Shape::kInputs + Shape::kRows + Shape::kResults;
  static constexpr int kFirstResult = Shape::kInputs + Shape::kRows;
  static constexpr int kCoordinates = Shape::kCoordinates == 0 ? 1 : Shape::kCoordinates;
  static constexpr int kSlots = Shape::kSlots == 0 ? 1 : Shape::kSlots;

  // Of the last vector of rows some lanes are idle.
  struct Numbers {
    HWY_ALIGN T slots[kSlots][kMost + kWidth];
    HWY_ALIGN T rows[Shape::kRows == 0 ? 1 : Shape::kRows][kMost + kWidth];
    HWY_ALIGN T result[kMost + kWidth];
  };

  FoldTile(const FoldRange& range, Places& places, Numbers& numbers)
      : range_(range), places_(places), numbers_(numbers) {}

  // --- what programs use
  OW_FOLD auto tag() const { return typename Lanes::D(); }
  template <int K>
  OW_FOLD V param() const {
    return Lanes::set(range_.params[K].template to<T>());
  }
  template <int kSlot, class Value>
  OW_FOLD void value(const Value& value) {
    const Value of = value;
    for (int64_t c = 0; c < places_.rows(); c += kWidth)
      Lanes::store(of(NumbersAt{*this, c}), numbers_.slots[kSlot] + c);
  }
  template <int K, class Value>
  OW_FOLD void result(const Value& value) {
    constexpr int kOperand = kFirstResult + K;
    if (!places_.is_there(kOperand)) return;
    const Value of = value;
    for (int64_t c = 0; c < places_.rows(); c += kWidth)
      Lanes::store(of(NumbersAt{*this, c}), numbers_.result + c);
    places_.write_numbers(kOperand, numbers_.result);
  }

 protected:
  // A vector of rows.
  struct NumbersAt {
    const FoldTile& tile;
    int64_t place;

    OW_FOLD V size() const { return tile.size(); }
    template <int kSlot>
    OW_FOLD V state() const {
      return Lanes::load(tile.numbers_.slots[kSlot] + place);
    }
    template <int K>
    OW_FOLD V coordinate() const {
      return coordinates(tile.places_.coordinate(K, place), tile.places_.coordinate_row_step(K));
    }
    template <int K>
    OW_FOLD V row() const {
      return Lanes::load(tile.numbers_.rows[K] + place);
    }
  };

  OW_FOLD void read_numbers() {
    for (int k = 0; k < Shape::kRows; ++k)
      places_.read_numbers(Shape::kInputs + k, numbers_.rows[k]);
  }
  // Of a vector whose first lane has this coordinate.
  static OW_FOLD V coordinates(int64_t first, int64_t step) {
    return m::add(Lanes::set(static_cast<T>(first)),
                  m::mul(Lanes::count(), Lanes::set(static_cast<T>(step))));
  }
  OW_FOLD V size() const { return Lanes::set(static_cast<T>(places_.elements())); }

  const FoldRange& range_;
  Places& places_;
  Numbers& numbers_;
};

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
