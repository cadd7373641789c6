// Folds of rows whose elements lie next to one another: lanes run along the row.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_
#endif

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/cpu/folds/fold_tile-inl.h"
#include "kernels/cpu/folds/row_parts.h"
#include "runtime/core/threads/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// A few rows, one after the other, each in blocks: what a program of the generator (a struct with
// `run(R& r)`) asks for.
template <class Shape, class T>
class FoldRows : public FoldTile<Shape, T, const RowPlaces, kRowsTile> {
  using Base = FoldTile<Shape, T, const RowPlaces, kRowsTile>;
  using Base::kFirstResult;
  using Base::kWidth;

 public:
  using Lanes = typename Base::Lanes;
  using V = typename Base::V;
  using Wide = typename Base::Wide;
  using Base::kOperands;

  using Base::Base;

  OW_FOLD void begin() {
    this->read_numbers();
    for (int k = 0; places_.is_flat() && k < kOperands; ++k) {
      first_[k] = places_.first(k);
      steps_[k] = places_.step(k);
    }
  }

  // --- what programs use
  template <int kSlot, int kTogether, class... F, class Term>
  OW_FOLD void fold(const Term& term) {
    constexpr size_t kCount = sizeof...(F);
    const RowParts parts{places_.blocks()};
    if (parts.count <= 1)
      return fold_blocks<kSlot, kTogether, F...>(term, {0, places_.rows(), 0, parts.blocks},
                                                 memory_, nullptr);
    const std::unique_ptr<Wide[]> totals(new Wide[static_cast<size_t>(parts.count) * kCount]);
    const auto of = [&](int64_t part) { return &totals[static_cast<size_t>(part) * kCount]; };
    for (int64_t r = 0; r < places_.rows(); ++r) {
      parallel_for(0, parts.count, 1, [&](int64_t from, int64_t to) HWY_ATTR {
        BlockMemory memory;
        for (int64_t p = from; p < to; ++p)
          fold_blocks<kSlot, kTogether, F...>(term, {r, r + 1, parts.begin(p), parts.end(p)},
                                              memory, of(p));
      });
      join_parts<kSlot, F...>(r, totals.get(), parts.count, std::index_sequence_for<F...>());
    }
  }
  template <class Body>
  OW_FOLD void map(const Body& body) {
    const RowParts parts{places_.blocks()};
    if (parts.count <= 1) return map_blocks(body, {0, places_.rows(), 0, parts.blocks}, memory_);
    // Sums over rows are no part's own, but elements are: parts have some of them.
    for (int64_t r = 0; r < places_.rows(); ++r) {
      parallel_for(0, parts.count, 1, [&](int64_t from, int64_t to) HWY_ATTR {
        BlockMemory memory;
        map_blocks(body, {r, r + 1, parts.begin(from), parts.end(to - 1)}, memory);
      });
    }
  }

 private:
  // Rows, and blocks of each.
  struct Part {
    int64_t row, end_row, block, end_block;
  };
  // A block of one row, in the type of the computation. All of it fits into registers: no address
  // of it is ever given away.
  struct Block {
    T* of[kOperands];
    V slots[Base::kSlots];
    V rows[Shape::kRows == 0 ? 1 : Shape::kRows];
    V size;
    int64_t coordinates[Base::kCoordinates], steps[Base::kCoordinates];
    int64_t count;
  };

 public:
  template <bool kWhole>
  struct At : FoldElement<Shape, T, kWhole> {
    const Block& block;

    OW_FOLD At(const Block& of, int64_t place, int64_t count)
        : FoldElement<Shape, T, kWhole>{of.of, place, count}, block(of) {}

    OW_FOLD V size() const { return block.size; }
    template <int K>
    OW_FOLD V in() const {
      return this->load(this->operands[K]);
    }
    template <int K>
    OW_FOLD V row() const {
      return block.rows[K];
    }
    template <int kSlot>
    OW_FOLD V state() const {
      return block.slots[kSlot];
    }
    template <int K>
    OW_FOLD V coordinate() const {
      const int64_t step = block.steps[K];
      return Base::coordinates(block.coordinates[K] + this->place * step, step);
    }
    // Of a result that is a sum over rows.
    template <int K>
    OW_FOLD void add(V value) const {
      T* const to = this->template result<K>();
      this->store(m::add(this->load(to), value), to);
    }
  };

 private:
  // Each fold's number, into `totals` or, where that is null, its slot.
  template <int kSlot, int kTogether, class... F, class Term>
  HWY_NOINLINE void fold_blocks(const Term& term, const Part& part, BlockMemory& memory,
                                Wide* totals) {
    const Term of = term;
    for (int64_t r = part.row; r < part.end_row; ++r) {
      FoldSums<F...> sums;
      for (int64_t b = part.block; b < part.end_block; ++b) {
        const Block block = enter(r, b, memory);
        fold_block<kTogether, F...>(of, block, sums, std::index_sequence_for<F...>());
      }
      Wide numbers[sizeof...(F)];
      sums.finish(numbers, std::index_sequence_for<F...>());
      for (size_t i = 0; i < sizeof...(F); ++i) {
        if (totals != nullptr)
          totals[i] = numbers[i];
        else
          this->numbers_.slots[kSlot + static_cast<int>(i)][r] = static_cast<T>(numbers[i]);
      }
    }
  }

  // What blocks come to: sums in Wide, else vectors, whose lanes are joined in the end.
  template <class... F>
  struct FoldSums {
    V lanes[sizeof...(F)];
    Wide sums[sizeof...(F)];

    OW_FOLD FoldSums() {
      size_t i = 0;
      ((sums[i] = 0, lanes[i++] = Lanes::set(F::template start<T>())), ...);
    }
    template <class Fold>
    OW_FOLD void add(size_t i, V block) {
      if constexpr (Fold::kSum)
        sums[i] += static_cast<Wide>(Lanes::sum(block));
      else
        lanes[i] = block;
    }
    // What the next block goes on from.
    template <class Fold>
    OW_FOLD V begin(size_t i) const {
      return Fold::kSum ? Lanes::set(0) : lanes[i];
    }
    template <class Fold>
    OW_FOLD Wide number(size_t i) const {
      if constexpr (Fold::kSum)
        return sums[i];
      else
        return static_cast<Wide>(first_lane(Fold::template across<Lanes>(lanes[i])));
    }
    template <size_t... I>
    OW_FOLD void finish(Wide* numbers, std::index_sequence<I...>) const {
      ((numbers[I] = number<F>(I)), ...);
    }
  };

  template <int kTogether, class... F, class Term, class Sums, size_t... I>
  static OW_FOLD void fold_block(const Term& term, const Block& block, Sums& sums,
                                 std::index_sequence<I...> folds) {
    constexpr int64_t kVectors = kWidth == 1 ? 1 : kTogether;
    Vectors<sizeof...(F)> a{{sums.template begin<F>(I)...}};
    int64_t i = 0;
    if (block.count >= kVectors * kWidth)
      i = fold_vectors<F...>(term, block, a, folds, std::make_index_sequence<kVectors>());
    // The last vectors, one of which may be less than whole.
    for (; i < block.count; i += kWidth) {
      const int64_t count = std::min(kWidth, block.count - i);
      const auto terms = term(At<false>{block, i, count});
      ((a.of[I] =
            F::join(a.of[I], Lanes::first(terms.of[I], count, Lanes::set(F::template start<T>())))),
       ...);
    }
    (sums.template add<F>(I, a.of[I]), ...);
  }

  template <int kCount>
  struct Vectors {
    V of[kCount];
  };
  // Several vectors at once, as long as there are as many; then they are joined. Returns how many
  // elements that were.
  template <class... F, class Term, class A, size_t... I, size_t... U>
  static OW_FOLD int64_t fold_vectors(const Term& term, const Block& block, A& a,
                                      std::index_sequence<I...> folds, std::index_sequence<U...>) {
    constexpr int64_t kStep = static_cast<int64_t>(sizeof...(U)) * kWidth;
    A all[] = {(void(U), A{{Lanes::set(F::template start<T>())...}})...};
    all[0] = a;
    int64_t i = 0;
    for (; i + kStep <= block.count; i += kStep)
      (join_terms<F...>(all[U], term(At<true>{block, i + static_cast<int64_t>(U) * kWidth, kWidth}),
                        folds),
       ...);
    ((U == 0 ? void() : join_terms<F...>(all[0], all[U], folds)), ...);
    a = all[0];
    return i;
  }
  template <class... F, class A, class Terms, size_t... I>
  static OW_FOLD void join_terms(A& a, const Terms& terms, std::index_sequence<I...>) {
    ((a.of[I] = F::join(a.of[I], terms.of[I])), ...);
  }

  template <class Body>
  HWY_NOINLINE void map_blocks(const Body& body, const Part& part, BlockMemory& memory) {
    const Body of = body;
    for (int64_t r = part.row; r < part.end_row; ++r) {
      for (int64_t b = part.block; b < part.end_block; ++b) {
        const Block block = enter(r, b, memory);
        int64_t i = 0;
        for (; i + kWidth <= block.count; i += kWidth) of(At<true>{block, i, kWidth});
        if (i < block.count) of(At<false>{block, i, block.count - i});
        if (!places_.is_flat()) places_.leave(r, b);
      }
    }
  }

  OW_FOLD Block enter(int64_t r, int64_t b, BlockMemory& memory) const {
    char* places[kOperands];
    int64_t count, coordinates[Base::kCoordinates];
    if (places_.is_flat()) [[likely]] {
      for (int k = 0; k < kOperands; ++k) places[k] = first_[k] + r * steps_[k];
      for (int k = 0; k < Shape::kCoordinates; ++k) coordinates[k] = places_.coordinate(k, r);
      count = places_.count();
    } else {
      count = places_.locate(r, b, memory, places, coordinates);
    }
    int64_t steps[Base::kCoordinates];
    for (int k = 0; k < Shape::kCoordinates; ++k) steps[k] = places_.coordinate_step(k);
    Block block;
    copy_each<kOperands>(block.of, places);
    copy_each<Shape::kCoordinates>(block.coordinates, coordinates);
    copy_each<Shape::kCoordinates>(block.steps, steps);
    block.count = count;
    block.size = this->size();
    spread<Base::kSlots>(block.slots, this->numbers_.slots, r);
    spread<Shape::kRows>(block.rows, this->numbers_.rows, r);
    return block;
  }

  // Numbers of a row, each in all lanes.
  template <int kCount, class Numbers>
  static OW_FOLD void spread(V* to, const Numbers& numbers, int64_t r) {
    spread(to, numbers, r, std::make_index_sequence<kCount>());
  }
  template <class Numbers, size_t... K>
  static OW_FOLD void spread([[maybe_unused]] V* to, [[maybe_unused]] const Numbers& numbers,
                             [[maybe_unused]] int64_t r, std::index_sequence<K...>) {
    ((to[K] = Lanes::set(numbers[K][r])), ...);
  }

  // `parts`: so many times a number of each fold.
  template <int kSlot, class... F, size_t... I>
  OW_FOLD void join_parts(int64_t r, const Wide* parts, int64_t count, std::index_sequence<I...>) {
    Wide totals[] = {F::template start<Wide>()...};
    for (int64_t p = 0; p < count; ++p, parts += sizeof...(F))
      ((totals[I] = join_wide<F>(totals[I], parts[I])), ...);
    ((this->numbers_.slots[kSlot + static_cast<int>(I)][r] = static_cast<T>(totals[I])), ...);
  }
  template <class F>
  static OW_FOLD Wide join_wide(Wide a, Wide b) {
    if constexpr (F::kSum) return a + b;
    return first_lane(F::join(Lanes::set(static_cast<T>(a)), Lanes::set(static_cast<T>(b))));
  }
  static OW_FOLD T first_lane(V value) {
    if constexpr (kWidth == 1)
      return value;
    else
      return hn::GetLane(value);
  }

  using Base::places_;

  char* first_[kOperands];
  int64_t steps_[kOperands];  // in bytes
  BlockMemory memory_;
};

template <class Program, class Shape, class T>
void fold_rows(const FoldRange& range) {
  using Tile = FoldRows<Shape, T>;
  typename Tile::Numbers numbers;
  RowPlaces places(range);
  Tile rows(range, places, numbers);
  places.each_tile([&]() HWY_ATTR {
    rows.begin();
    Program::run(rows);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
