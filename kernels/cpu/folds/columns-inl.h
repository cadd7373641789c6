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

// A tile of rows, for the same programs as Rows.
template <class Shape, class T>
class Columns : public FoldTile<Shape, T, kColumnsTile> {
  using Base = FoldTile<Shape, T, kColumnsTile>;
  using Base::kFirstResult;
  using Base::kSlots;
  using Base::kWidth;
  static constexpr int64_t kPlaces = kColumnsTile + kWidth;
  static constexpr int64_t kBlock = 64;  // elements that are added up in T

 public:
  using Lanes = typename Base::Lanes;
  using V = typename Base::V;
  using Wide = typename Base::Wide;
  using Base::kOperands;

  Columns(const FoldRange& range, typename Base::Numbers& numbers)
      : Base(range, numbers), place_(range.tile + kWidth), states_(new States) {
    for (int k = 0; k < kOperands; ++k) {
      steps_[k] = this->folded_.stride(k, 0);
      // Elements far from one another are read a few at a time.
      if (steps_[k] > kColumnsTile / 2) together_ = 4;
      if (!range.is_staged(k) || is_number(k)) continue;
      const bool is_kept = k >= kFirstResult && this->data(k) != nullptr;
      const int64_t places = is_kept ? this->elements_ : kBlock;
      staged_[k].reset(new T[static_cast<size_t>(places * place_)]());
    }
  }

  // --- what programs use
  template <int kSlot, int kVectors, class... F, class Term>
  OW_FOLD void fold(const Term& term) {
    const Term of = term;
    const auto sequence = std::index_sequence_for<F...>();
    begin_folds<F...>(sequence);
    for (Walk walk(*this); walk.index() < this->elements_;) {
      const int64_t end = std::min(this->elements_, walk.index() + kBlock);
      while (walk.index() < end) {
        const Elements elements = walk.enter(std::min(together_, end - walk.index()));
        fold_elements<F...>(elements, of, sequence);
        walk.skip(elements.count);
      }
      if (this->elements_ > kBlock) add_up<F...>(sequence);
    }
    end_folds<kSlot, F...>(sequence);
  }
  template <class Body>
  OW_FOLD void map(const Body& body) {
    const Body of = body;
    for (Walk walk(*this); walk.index() < this->elements_;) {
      Elements elements = walk.enter(together_);
      for (int64_t e = 0; e < elements.count; ++e) {
        map_element(of, elements, walk.index() + e);
        elements.next();
      }
      if (this->range_.staged != 0) walk.leave(elements.count);
      walk.skip(elements.count);
    }
  }

 private:
  static constexpr bool is_number(int k) { return k >= Shape::kInputs && k < kFirstResult; }
  // A later walk may read what an earlier one has written: of results all elements have a place.
  bool is_kept(int k) const {
    return k >= kFirstResult && staged_[k] != nullptr && this->data(k) != nullptr;
  }

  // Where the operands of some elements of the first row are, in the type of the computation.
  struct Elements {
    T* of[kOperands];
    int64_t pitch[kOperands];  // from one to the next
    int64_t count;

    OW_FOLD void next() {
      for (int k = 0; k < kOperands; ++k) of[k] += pitch[k];
    }
  };
  struct States {
    // Of the terms of one walk, each of which has a slot.
    HWY_ALIGN T lanes[kSlots][kPlaces];
    Wide totals[kSlots][kPlaces];
  };

  // Goes along the elements.
  class Walk {
   public:
    explicit OW_FOLD Walk(const Columns& columns)
        : columns_(columns), run_(columns.folded_.ndim() == 0 ? 1 : columns.folded_.sizes[0]) {
      for (int k = 0; k < kOperands; ++k) offsets_[k] = columns.first_[k];
    }
    OW_FOLD int64_t index() const { return index_; }
    OW_FOLD void skip(int64_t count) {
      index_ += count;
      at_ += count;
      for (int k = 0; k < kOperands; ++k) offsets_[k] += count * columns_.steps_[k];
      if (at_ < run_) [[likely]]
        return;
      at_ = 0;
      for (int k = 0; k < kOperands; ++k) offsets_[k] = columns_.first_[k];
      columns_.folded_.add_offsets(index_ / run_, kOperands, offsets_, /*first=*/1);
    }
    // At most so many of the next elements.
    OW_FOLD Elements enter(int64_t most) const {
      const FoldRange& range = columns_.range_;
      T* places[kOperands];
      int64_t pitches[kOperands];
      const int64_t count = std::min(most, run_ - at_);
      for (int k = 0; k < kOperands; ++k) {
        places[k] = range.is_staged(k) ? nullptr : columns_.data(k) + offsets_[k];
        pitches[k] = columns_.steps_[k];
      }
      if (range.staged != 0) bring(places, pitches, count);
      Elements elements;
      for (int k = 0; k < kOperands; ++k) {
        elements.of[k] = places[k];
        elements.pitch[k] = pitches[k];
      }
      elements.count = count;
      return elements;
    }
    HWY_NOINLINE void leave(int64_t count) const {
      for (int k = kFirstResult; k < kOperands; ++k) {
        if (columns_.is_kept(k))
          columns_.range_.stage->write(k, place(k, count), beside(k), columns_.place_, 1);
      }
    }

   private:
    // Elements times rows.
    FoldStage::Place place(int k, int64_t count) const {
      return columns_.place(k, offsets_[k], columns_.steps_[k], columns_.step(k), count,
                            columns_.count_);
    }
    T* beside(int k) const {
      const int64_t first = columns_.is_kept(k) ? index_ : 0;
      return &columns_.staged_[k][static_cast<size_t>(first * columns_.place_)];
    }
    HWY_NOINLINE void bring(T** places, int64_t* pitches, int64_t count) const {
      for (int k = 0; k < kOperands; ++k) {
        if (columns_.staged_[k] == nullptr) continue;
        places[k] = beside(k);
        pitches[k] = columns_.place_;
        if (k < kFirstResult && columns_.data(k) != nullptr)
          columns_.range_.stage->read(k, place(k, count), places[k], columns_.place_, 1);
      }
    }

    const Columns& columns_;
    const int64_t run_;
    int64_t at_ = 0, index_ = 0;
    int64_t offsets_[kOperands];
  };

 public:
  template <bool kWhole>
  struct At : FoldElement<Shape, T, kWhole> {
    const Columns& tile;
    V* sums;

    At(const Columns& columns, const Elements& elements, V* of_rows, int64_t column, int64_t count)
        : FoldElement<Shape, T, kWhole>{elements.of, column, count}, tile(columns), sums(of_rows) {}

    OW_FOLD V size() const { return Lanes::set(static_cast<T>(tile.elements_)); }
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
    OW_FOLD void add(V value) const {
      if constexpr (kWhole) {
        sums[K] = m::add(sums[K], value);
      } else {
        sums[K] = m::add(sums[K], Lanes::first(value, this->count, Lanes::set(0)));
      }
    }
  };

 private:
  template <class... F, size_t... I>
  OW_FOLD void begin_folds(std::index_sequence<I...>) {
    for (int64_t c = 0; c < this->count_; c += kWidth)
      (Lanes::store(Lanes::set(F::template start<T>()), states_->lanes[I] + c), ...);
    for (int64_t c = 0; c < this->count_; ++c)
      ((states_->totals[I][c] = F::template start<Wide>()), ...);
  }

  // What is added up is read and written once for all elements.
  template <class... F, class Term, size_t... I>
  OW_FOLD void fold_elements(const Elements& elements, const Term& term,
                             std::index_sequence<I...>) {
    const int64_t columns = this->count_;
    int64_t c = 0;
    for (; c + kWidth <= columns; c += kWidth) {
      V a[] = {(void(I), Lanes::load(states_->lanes[I] + c))...};
      Elements at = elements;
      for (int64_t e = 0; e < elements.count; ++e, at.next()) {
        const auto terms = term(At<true>{*this, at, nullptr, c, kWidth});
        ((a[I] = F::join(a[I], terms.of[I])), ...);
      }
      (Lanes::store(a[I], states_->lanes[I] + c), ...);
    }
    if (c == columns) return;
    V a[] = {(void(I), Lanes::load(states_->lanes[I] + c))...};
    Elements at = elements;
    for (int64_t e = 0; e < elements.count; ++e, at.next()) {
      const auto terms = term(At<false>{*this, at, nullptr, c, columns - c});
      ((a[I] = F::join(a[I], terms.of[I])), ...);
    }
    (Lanes::store(a[I], states_->lanes[I] + c), ...);
  }

  template <class Body>
  OW_FOLD void map_element(const Body& body, const Elements& elements, int64_t index) {
    const int64_t columns = this->count_;
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
  OW_FOLD void add_up(std::index_sequence<I...>) {
    const auto add = [&](auto sum, T* lanes, Wide* totals) HWY_ATTR {
      if constexpr (decltype(sum)::value) {
        for (int64_t c = 0; c < this->count_; ++c) {
          totals[c] += lanes[c];
          lanes[c] = 0;
        }
      }
    };
    (add(std::bool_constant<F::kSum>(), states_->lanes[I], states_->totals[I]), ...);
  }
  template <int kSlot, class... F, size_t... I>
  OW_FOLD void end_folds(std::index_sequence<I...>) {
    const bool is_long = this->elements_ > kBlock;
    const auto end = [&](auto sum, const T* lanes, const Wide* totals, T* slot) HWY_ATTR {
      for (int64_t c = 0; c < this->count_; ++c)
        slot[c] = decltype(sum)::value && is_long ? static_cast<T>(totals[c]) : lanes[c];
    };
    (end(std::bool_constant<F::kSum>(), states_->lanes[I], states_->totals[I],
         this->numbers_.slots[kSlot + static_cast<int>(I)]),
     ...);
  }

  const int64_t place_;  // of the elements of a tile, beside the operands
  std::unique_ptr<States> states_;
  int64_t steps_[kOperands];  // from element to element
  int64_t together_ = kBlock;
  std::unique_ptr<T[]> staged_[kOperands];
};

template <class Program, class Shape, class T>
void fold_columns(const FoldRange& range) {
  using Tile = Columns<Shape, T>;
  const std::unique_ptr<typename Tile::Numbers> numbers(new typename Tile::Numbers);
  Tile columns(range, *numbers);
  run_tiles<Program>(range, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
