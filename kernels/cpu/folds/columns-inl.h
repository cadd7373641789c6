// Folds of rows that lie side by side: lanes stand for rows, of which a tile is computed at once,
// with its numbers in the first cache.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_
#endif

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/cpu/folds/fold_lanes-inl.h"
#include "kernels/cpu/folds/fold_loops.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// A tile of rows, for the same programs as Row.
template <class Shape, class T>
class Tile {
 public:
  using Lanes = FoldLanes<T>;
  using V = typename Lanes::V;
  using Wide = typename Lanes::Wide;
  static constexpr int64_t kWidth = Lanes::kWidth;
  static constexpr int64_t kPlaces = kFoldTile + kWidth;  // of the last vector some are idle
  static constexpr int64_t kBlock = 64;                   // elements that are added up in T
  static constexpr int kOperands = Shape::kInputs + Shape::kRows + Shape::kResults;
  static constexpr int kSlots = Shape::kSlots == 0 ? 1 : Shape::kSlots;

  explicit Tile(const FoldRange& range)
      : range_(range), folded_(range.plan->folded), numbers_(new Numbers) {
    n_ = folded_.numel();
    const plans::FoldDims& kept = range.plan->kept;
    for (int k = 0; k < Shape::kCoordinates; ++k) {
      steps_[k] = kept.ndim() == 0 ? 0 : kept.strides[kOperands + k][0];
      lanes_[k] = m::mul(Lanes::count(), Lanes::set(static_cast<T>(steps_[k])));
    }
  }

  OW_FOLD void move_to(const int64_t* offsets, int64_t columns) {
    for (int k = 0; k < kOperands; ++k) {
      T* const base = static_cast<T*>(range_.data[k]);
      start_[k] = base == nullptr ? nullptr : base + offsets[k];
    }
    for (int k = 0; k < Shape::kCoordinates; ++k) first_[k] = offsets[kOperands + k];
    columns_ = columns;
  }

  // --- what programs use
  OW_FOLD auto tag() const { return typename Lanes::D(); }
  OW_FOLD V size() const { return Lanes::set(static_cast<T>(n_)); }
  template <int K>
  OW_FOLD V param() const {
    return Lanes::set(range_.params[K].template to<T>());
  }
  template <int kSlot, class... F, class Term>
  OW_FOLD void fold(const Term& term) {
    const auto sequence = std::index_sequence_for<F...>();
    begin_folds<F...>(sequence);
    for (int64_t begin = 0; begin < n_; begin += kBlock) {
      const int64_t end = std::min(n_, begin + kBlock);
      for (int64_t i = begin; i < end; i += kTogether)
        fold_elements<F...>(i, std::min(kTogether, end - i), term, sequence);
      add_up<F...>(sequence);
    }
    end_folds<kSlot, F...>(sequence);
  }
  template <int kSlot, class Value>
  OW_FOLD void value(const Value& value) {
    const Places places = at(0);
    for (int64_t c = 0; c < columns_; c += kWidth)
      Lanes::store(with(places, c, value), numbers_->slots[kSlot] + c);
  }
  template <class Body>
  OW_FOLD void map(const Body& body) {
    for (int64_t i = 0; i < n_; ++i) {
      const Places places = at(i);
      V sums[Shape::kResults];
      for (V& sum : sums) sum = Lanes::set(0);
      int64_t c = 0;
      for (; c + kWidth <= columns_; c += kWidth) body(At<true>{*this, places, sums, c, kWidth});
      if (c < columns_) body(At<false>{*this, places, sums, c, columns_ - c});
      for (int k = 0; k < Shape::kResults; ++k) {
        if (range_.sums[k] != nullptr)
          range_.sums[k][i] += static_cast<double>(Lanes::sum(sums[k]));
      }
    }
  }
  template <int K, class Value>
  OW_FOLD void result(const Value& value) {
    const Places places = at(0);
    T* const to = places.of[Shape::kInputs + Shape::kRows + K];
    if (to == nullptr) return;
    for (int64_t c = 0; c < columns_; c += kWidth) {
      const int64_t count = std::min(kWidth, columns_ - c);
      const V found = with(places, c, value);
      count == kWidth ? Lanes::store(found, to + c) : Lanes::store_part(found, to + c, count);
    }
  }

 private:
  static constexpr int64_t kTogether = 4;

  static constexpr int kCounted = Shape::kCoordinates == 0 ? 1 : Shape::kCoordinates;

  // Where the operands of one element of the first row are, and its coordinates.
  struct Places {
    T* of[kOperands];
    int64_t coordinates[kCounted];
  };
  struct Numbers {
    HWY_ALIGN T slots[kSlots][kPlaces];
    // Of the terms of one walk, each of which has a slot.
    HWY_ALIGN T lanes[kSlots][kPlaces];
    Wide totals[kSlots][kPlaces];
  };

 public:
  template <bool kWhole>
  struct At : FoldElement<Shape, T, kWhole> {
    const Tile& r;
    const int64_t* coordinates;
    V* sums;

    At(const Tile& tile, const Places& places, V* of_rows, int64_t column, int64_t count)
        : FoldElement<Shape, T, kWhole>{places.of, column, count},
          r(tile),
          coordinates(places.coordinates),
          sums(of_rows) {}

    // Of an operand without elements along what is kept one for all rows.
    template <int K>
    OW_FOLD V in() const {
      if constexpr (Shape::is_folded_only(K)) return Lanes::set(*this->operands[K]);
      return this->load(this->operands[K]);
    }
    template <int K>
    OW_FOLD V row() const {
      return this->load(this->operands[Shape::kInputs + K]);
    }
    template <int kSlot>
    OW_FOLD V state() const {
      return Lanes::load(r.numbers_->slots[kSlot] + this->place);
    }
    template <int K>
    OW_FOLD V coordinate() const {
      const int64_t first = coordinates[K] + this->place * r.steps_[K];
      return m::add(Lanes::set(static_cast<T>(first)), r.lanes_[K]);
    }
    template <int K>
    OW_FOLD void add(V value) const {
      if constexpr (kWhole) {
        sums[K] = m::add(sums[K], value);
      } else {
        sums[K] = m::add(sums[K], Lanes::first(value, this->count, Lanes::set(0)));
      }
    }
  };

 private:
  OW_FOLD Places at(int64_t element) const {
    int64_t offsets[Shape::kPlaces] = {};
    folded_.add_offsets(element, Shape::kPlaces, offsets);
    Places places;
    for (int k = 0; k < kOperands; ++k)
      places.of[k] = start_[k] == nullptr ? nullptr : start_[k] + offsets[k];
    for (int k = 0; k < Shape::kCoordinates; ++k)
      places.coordinates[k] = first_[k] + offsets[kOperands + k];
    return places;
  }

  template <class Value>
  OW_FOLD V with(const Places& places, int64_t c, const Value& value) const {
    return value(At<false>{*this, places, nullptr, c, std::min(kWidth, columns_ - c)});
  }

  template <class... F, size_t... I>
  OW_FOLD void begin_folds(std::index_sequence<I...>) {
    for (int64_t c = 0; c < columns_; c += kWidth)
      (Lanes::store(Lanes::set(F::template start<T>()), numbers_->lanes[I] + c), ...);
    for (int64_t c = 0; c < columns_; ++c)
      ((numbers_->totals[I][c] = F::template start<Wide>()), ...);
  }

  // A few elements of every row, so that what is added up is read and written once for all.
  template <class... F, class Term, size_t... I>
  OW_FOLD void fold_elements(int64_t first, int64_t count, const Term& term,
                             std::index_sequence<I...>) {
    Places places[kTogether];
    for (int64_t e = 0; e < count; ++e) places[e] = at(first + e);
    int64_t c = 0;
    for (; c + kWidth <= columns_; c += kWidth) {
      V a[] = {(void(I), Lanes::load(numbers_->lanes[I] + c))...};
      for (int64_t e = 0; e < count; ++e) {
        const auto terms = term(At<true>{*this, places[e], nullptr, c, kWidth});
        ((a[I] = F::join(a[I], terms.of[I])), ...);
      }
      (Lanes::store(a[I], numbers_->lanes[I] + c), ...);
    }
    if (c == columns_) return;
    V a[] = {(void(I), Lanes::load(numbers_->lanes[I] + c))...};
    for (int64_t e = 0; e < count; ++e) {
      const auto terms = term(At<false>{*this, places[e], nullptr, c, columns_ - c});
      ((a[I] = F::join(a[I], terms.of[I])), ...);
    }
    (Lanes::store(a[I], numbers_->lanes[I] + c), ...);
  }

  template <class... F, size_t... I>
  OW_FOLD void add_up(std::index_sequence<I...>) {
    const auto add = [&](auto sum, T* lanes, Wide* totals) HWY_ATTR {
      if constexpr (decltype(sum)::value) {
        for (int64_t c = 0; c < columns_; ++c) {
          totals[c] += lanes[c];
          lanes[c] = 0;
        }
      }
    };
    (add(std::bool_constant<F::kSum>(), numbers_->lanes[I], numbers_->totals[I]), ...);
  }

  template <int kSlot, class... F, size_t... I>
  OW_FOLD void end_folds(std::index_sequence<I...>) {
    const auto end = [&](auto sum, const T* lanes, const Wide* totals, T* slot) HWY_ATTR {
      for (int64_t c = 0; c < columns_; ++c)
        slot[c] = decltype(sum)::value ? static_cast<T>(totals[c]) : lanes[c];
    };
    (end(std::bool_constant<F::kSum>(), numbers_->lanes[I], numbers_->totals[I],
         numbers_->slots[kSlot + static_cast<int>(I)]),
     ...);
  }

  const FoldRange& range_;
  const plans::FoldDims& folded_;
  std::unique_ptr<Numbers> numbers_;
  int64_t n_ = 1, columns_ = 0;
  T* start_[kOperands];
  // Of coordinates: of the first row's first element, and from one row to the next.
  int64_t first_[kCounted], steps_[kCounted];
  V lanes_[kCounted];
};

template <class Program, class Shape, class T>
void fold_columns(const FoldRange& range) {
  const plans::FoldDims& kept = range.plan->kept;
  const int64_t inner = kept.ndim() == 0 ? 1 : kept.sizes[0];
  const int64_t tiles = (inner + kFoldTile - 1) / kFoldTile;
  Tile<Shape, T> tile(range);
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t from = i % tiles * kFoldTile;
    int64_t offsets[Shape::kPlaces] = {};
    for (int k = 0; k < Shape::kPlaces; ++k)
      offsets[k] = kept.ndim() == 0 ? 0 : from * kept.strides[k][0];
    kept.add_offsets(i / tiles, Shape::kPlaces, offsets, /*first=*/1);
    tile.move_to(offsets, std::min(kFoldTile, inner - from));
    Program::run(tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
