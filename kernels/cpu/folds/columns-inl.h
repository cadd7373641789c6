// Folds of rows that lie side by side: lanes run across the rows, of which a tile is computed
// together, element by element.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_COLUMNS_INL_H_
#endif

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/cpu/folds/fold_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// --- numbers of many rows; once for all programs
template <class T>
HWY_NOINLINE void fill_lanes(T* to, T value, int64_t n) {
  std::fill_n(to, n, value);
}
template <class T, class Wide>
HWY_NOINLINE void add_lanes(T* lanes, Wide* totals, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    totals[i] += lanes[i];
    lanes[i] = 0;
  }
}
template <class T, class Wide>
HWY_NOINLINE void end_fold(bool from_totals, const T* lanes, const Wide* totals, T* slot,
                           int64_t n) {
  if (!from_totals) {
    std::copy_n(lanes, n, slot);
    return;
  }
  for (int64_t i = 0; i < n; ++i) slot[i] = static_cast<T>(totals[i]);
}

// A tile of rows, for the same programs as FoldRows.
template <class Shape, class T>
class FoldColumns : public FoldTile<Shape, T, ColumnPlaces, kColumnsTile> {
  using Base = FoldTile<Shape, T, ColumnPlaces, kColumnsTile>;
  using Base::kFirstResult;
  using Base::kSlots;
  using Base::kWidth;
  static constexpr int64_t kPlaces = kColumnsTile + kWidth;
  static constexpr int64_t kBlock = ColumnPlaces::kBlock;

 public:
  using Lanes = typename Base::Lanes;
  using V = typename Base::V;
  using Wide = typename Base::Wide;
  using Base::kOperands;

  struct States {
    // Of the terms of one walk, each of which has a slot.
    HWY_ALIGN T lanes[kSlots][kPlaces];
    HWY_ALIGN Wide totals[kSlots][kPlaces];
  };

  FoldColumns(const FoldRange& range, ColumnPlaces& places, typename Base::Numbers& numbers,
              States& states)
      : Base(range, places, numbers), states_(states) {}

  OW_FOLD void begin() { this->read_numbers(); }

  // --- what programs use
  template <int kSlot, int kVectors, class... F, class Term>
  OW_FOLD void fold(const Term& term) {
    const Term of = term;
    const auto sequence = std::index_sequence_for<F...>();
    const int64_t elements = places_.elements(), rows = places_.rows();
    begin_folds<F...>(rows, sequence);
    for (ColumnPlaces::Cursor cursor = places_.begin(); cursor.index < elements;) {
      const int64_t end = std::min(elements, cursor.index + kBlock);
      while (cursor.index < end) {
        const Elements some = enter(cursor, std::min(places_.together(), end - cursor.index));
        fold_elements<F...>(some, of, sequence);
        places_.skip(cursor, some.count);
      }
      if (elements > kBlock) add_up<F...>(rows, sequence);
    }
    end_folds<kSlot, F...>(rows, elements > kBlock, sequence);
  }
  template <class Body>
  OW_FOLD void map(const Body& body) {
    const Body of = body;
    for (ColumnPlaces::Cursor cursor = places_.begin(); cursor.index < places_.elements();) {
      Elements some = enter(cursor, places_.together());
      for (int64_t e = 0; e < some.count; ++e, some.next()) map_element(of, some, cursor.index + e);
      places_.leave(cursor, some.count);
    }
  }

 private:
  // Where the operands of some elements of the first row are, in the type of the computation. All
  // of it fits into registers: no address of it is ever given away.
  struct Elements {
    T* of[kOperands];
    int64_t pitch[kOperands];  // from one to the next
    int64_t coordinates[Base::kCoordinates], steps[Base::kCoordinates];
    int64_t count;

    OW_FOLD void next() {
      step(of, pitch, std::make_index_sequence<kOperands>());
      step(coordinates, steps, std::make_index_sequence<Shape::kCoordinates>());
    }
    template <class Place, size_t... K>
    static OW_FOLD void step([[maybe_unused]] Place* places, [[maybe_unused]] const int64_t* by,
                             std::index_sequence<K...>) {
      ((places[K] += by[K]), ...);
    }
  };
  OW_FOLD Elements enter(const ColumnPlaces::Cursor& cursor, int64_t most) const {
    char* places[kOperands];
    int64_t pitches[kOperands];
    const int64_t count = places_.enter(cursor, most, places, pitches);
    int64_t coordinates[Base::kCoordinates], steps[Base::kCoordinates];
    for (int k = 0; k < Shape::kCoordinates; ++k) {
      coordinates[k] = places_.coordinate(cursor, k);
      steps[k] = places_.coordinate_step(k);
    }
    Elements elements;
    copy_each<kOperands>(elements.of, places);
    copy_each<kOperands>(elements.pitch, pitches);
    copy_each<Shape::kCoordinates>(elements.coordinates, coordinates);
    copy_each<Shape::kCoordinates>(elements.steps, steps);
    elements.count = count;
    return elements;
  }

 public:
  template <bool kWhole>
  struct At : FoldElement<Shape, T, kWhole> {
    const FoldColumns& tile;
    V* sums;
    const int64_t* coordinates;

    OW_FOLD At(const FoldColumns& columns, const Elements& elements, V* of_rows, int64_t column,
               int64_t count)
        : FoldElement<Shape, T, kWhole>{elements.of, column, count},
          tile(columns),
          sums(of_rows),
          coordinates(elements.coordinates) {}

    OW_FOLD V size() const { return tile.size(); }
    // Of an operand without elements along what is kept one for all rows.
    template <int K>
    OW_FOLD V in() const {
      if constexpr (Shape::is_folded_only(K)) return Lanes::set(*this->operands[K]);
      return this->load(this->operands[K]);
    }
    template <int K>
    OW_FOLD V row() const {
      return Lanes::load(tile.numbers_.rows[K] + this->place);
    }
    template <int kSlot>
    OW_FOLD V state() const {
      return Lanes::load(tile.numbers_.slots[kSlot] + this->place);
    }
    template <int K>
    OW_FOLD V coordinate() const {
      const int64_t step = tile.places_.coordinate_row_step(K);
      return Base::coordinates(coordinates[K] + this->place * step, step);
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
  // What is added up is read and written once for all elements.
  template <class... F, class Term, size_t... I>
  OW_FOLD void fold_elements(const Elements& elements, const Term& term,
                             std::index_sequence<I...>) {
    const int64_t columns = places_.rows();
    int64_t c = 0;
    for (; c + kWidth <= columns; c += kWidth) {
      V a[] = {(void(I), Lanes::load(states_.lanes[I] + c))...};
      Elements at = elements;
      for (int64_t e = 0; e < elements.count; ++e, at.next()) {
        const auto terms = term(At<true>{*this, at, nullptr, c, kWidth});
        ((a[I] = F::join(a[I], terms.of[I])), ...);
      }
      (Lanes::store(a[I], states_.lanes[I] + c), ...);
    }
    if (c == columns) return;
    V a[] = {(void(I), Lanes::load(states_.lanes[I] + c))...};
    Elements at = elements;
    for (int64_t e = 0; e < elements.count; ++e, at.next()) {
      const auto terms = term(At<false>{*this, at, nullptr, c, columns - c});
      ((a[I] = F::join(a[I], terms.of[I])), ...);
    }
    (Lanes::store(a[I], states_.lanes[I] + c), ...);
  }

  template <class Body>
  OW_FOLD void map_element(const Body& body, const Elements& elements, int64_t index) {
    const int64_t columns = places_.rows();
    V sums[Shape::kResults];
    for (V& sum : sums) sum = Lanes::set(0);
    int64_t c = 0;
    for (; c + kWidth <= columns; c += kWidth) body(At<true>{*this, elements, sums, c, kWidth});
    if (c < columns) body(At<false>{*this, elements, sums, c, columns - c});
    for (int k = 0; k < Shape::kResults; ++k) {
      if (this->range_.sums[k] != nullptr)
        this->range_.sums[k][index] += static_cast<double>(Lanes::sum(sums[k]));
    }
  }

  template <class... F, size_t... I>
  OW_FOLD void begin_folds(int64_t rows, std::index_sequence<I...>) {
    (fill_lanes<T>(states_.lanes[I], F::template start<T>(), rows), ...);
    (fill_lanes(states_.totals[I], Wide(0), rows), ...);
  }
  template <class... F, size_t... I>
  OW_FOLD void add_up(int64_t rows, std::index_sequence<I...>) {
    ((F::kSum ? add_lanes(states_.lanes[I], states_.totals[I], rows) : void()), ...);
  }
  template <int kSlot, class... F, size_t... I>
  OW_FOLD void end_folds(int64_t rows, bool is_long, std::index_sequence<I...>) {
    (end_fold(F::kSum && is_long, states_.lanes[I], states_.totals[I],
              this->numbers_.slots[kSlot + static_cast<int>(I)], rows),
     ...);
  }

  using Base::places_;

  States& states_;
};

template <class Program, class Shape, class T>
void fold_columns(const FoldRange& range) {
  using Tile = FoldColumns<Shape, T>;
  const std::unique_ptr<typename Tile::Numbers> numbers(new typename Tile::Numbers);
  const std::unique_ptr<typename Tile::States> states(new typename Tile::States);
  ColumnPlaces places(range);
  Tile columns(range, places, *numbers, *states);
  places.each_tile([&]() HWY_ATTR {
    columns.begin();
    Program::run(columns);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
