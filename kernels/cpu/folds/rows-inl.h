// Folds of rows whose elements lie next to one another: lanes run along the row.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_ROWS_INL_H_
#endif

#include <algorithm>
#include <utility>

#include "kernels/cpu/folds/fold_lanes-inl.h"
#include "kernels/cpu/folds/fold_loops.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// One row: what a program of the generator (a struct with `run(R& r)`) asks for. `Shape` says how
// many operands and slots there are.
template <class Shape, class T>
class Row {
 public:
  using Lanes = FoldLanes<T>;
  using V = typename Lanes::V;
  static constexpr int64_t kWidth = Lanes::kWidth;
  static constexpr int64_t kBlock = 4096;
  static constexpr int kOperands = Shape::kInputs + Shape::kRows + Shape::kResults;

  explicit Row(const FoldRange& range) : range_(range), folded_(range.plan->folded) {
    n_ = folded_.ndim() == 0 ? 1 : folded_.sizes[0];
    runs_ = folded_.numel() / std::max<int64_t>(n_, 1);
    for (int k = 0; k < kOperands; ++k) base_[k] = static_cast<T*>(range.data[k]);
    for (int k = 0; k < Shape::kCoordinates; ++k) {
      steps_[k] = folded_.ndim() == 0 ? 0 : folded_.strides[kOperands + k][0];
      lanes_[k] = m::mul(Lanes::count(), Lanes::set(static_cast<T>(steps_[k])));
    }
  }

  // Where its operands begin.
  OW_FOLD void move_to(const int64_t* offsets) {
    for (int k = 0; k < kOperands; ++k)
      start_[k] = base_[k] == nullptr ? nullptr : base_[k] + offsets[k];
    for (int k = 0; k < kOperands; ++k) at_[k] = start_[k];
    for (int k = 0; k < Shape::kCoordinates; ++k) first_[k] = places_[k] = offsets[kOperands + k];
  }

  // --- what programs use
  OW_FOLD auto tag() const { return typename Lanes::D(); }
  OW_FOLD V size() const { return Lanes::set(static_cast<T>(n_ * runs_)); }
  template <int K>
  OW_FOLD V param() const {
    return Lanes::set(range_.params[K].template to<T>());
  }
  template <int kSlot, class... F, class Term>
  OW_FOLD void fold(const Term& term) {
    typename Lanes::Wide totals[] = {F::template start<typename Lanes::Wide>()...};
    each_run([&]() HWY_ATTR { fold_run<F...>(term, totals, std::index_sequence_for<F...>()); });
    int slot = kSlot;
    for (const auto total : totals) states_[slot++] = Lanes::set(static_cast<T>(total));
  }
  template <int kSlot, class Value>
  OW_FOLD void value(const Value& value) {
    states_[kSlot] = value(At<true>{*this, 0, kWidth});
  }
  template <class Body>
  OW_FOLD void map(const Body& body) {
    each_run([&]() HWY_ATTR {
      int64_t i = 0;
      for (; i + kWidth <= n_; i += kWidth) body(At<true>{*this, i, kWidth});
      if (i < n_) body(At<false>{*this, i, n_ - i});
    });
  }
  template <int K, class Value>
  OW_FOLD void result(const Value& value) {
    T* const to = start_[Shape::kInputs + Shape::kRows + K];
    if (to != nullptr) Lanes::store_part(value(At<true>{*this, 0, kWidth}), to, 1);
  }

  template <bool kWhole>
  struct At : FoldElement<Shape, T, kWhole> {
    const Row& r;

    At(const Row& row, int64_t place, int64_t count)
        : FoldElement<Shape, T, kWhole>{row.at_, place, count}, r(row) {}

    template <int K>
    OW_FOLD V in() const {
      return this->load(this->operands[K]);
    }
    template <int K>
    OW_FOLD V row() const {
      return Lanes::set(*r.start_[Shape::kInputs + K]);
    }
    template <int kSlot>
    OW_FOLD V state() const {
      return r.states_[kSlot];
    }
    template <int K>
    OW_FOLD V coordinate() const {
      const int64_t first = r.places_[K] + this->place * r.steps_[K];
      return m::add(Lanes::set(static_cast<T>(first)), r.lanes_[K]);
    }
    // Of a result that is a sum over rows.
    template <int K>
    OW_FOLD void add(V value) const {
      T* const to = this->template result<K>();
      if (to != nullptr) this->store(m::add(this->load(to), value), to);
    }
  };

 private:
  // With at_ where each run of adjacent elements begins.
  template <class Body>
  OW_FOLD void each_run(const Body& body) {
    if (runs_ == 1) return body();
    for (int64_t run = 0; run < runs_; ++run) {
      int64_t offsets[Shape::kPlaces] = {};
      folded_.add_offsets(run, Shape::kPlaces, offsets, /*first=*/1);
      for (int k = 0; k < kOperands; ++k)
        at_[k] = start_[k] == nullptr ? nullptr : start_[k] + offsets[k];
      for (int k = 0; k < Shape::kCoordinates; ++k) places_[k] = first_[k] + offsets[kOperands + k];
      body();
    }
    for (int k = 0; k < kOperands; ++k) at_[k] = start_[k];
    for (int k = 0; k < Shape::kCoordinates; ++k) places_[k] = first_[k];
  }

  template <class... F, class Term, size_t... I>
  OW_FOLD void fold_run(const Term& term, typename Lanes::Wide* totals,
                        std::index_sequence<I...>) const {
    constexpr int kCount = static_cast<int>(sizeof...(F));
    constexpr int kUnroll = kWidth == 1 || kCount > 4 ? 1 : 2;
    for (int64_t begin = 0; begin < n_; begin += kBlock) {
      const int64_t end = std::min(n_, begin + kBlock);
      V a[kUnroll][kCount];
      for (int u = 0; u < kUnroll; ++u) ((a[u][I] = Lanes::set(F::template start<T>())), ...);
      int64_t i = begin;
      for (; i + kUnroll * kWidth <= end; i += kUnroll * kWidth) {
        for (int u = 0; u < kUnroll; ++u) {
          const auto terms = term(At<true>{*this, i + u * kWidth, kWidth});
          ((a[u][I] = F::join(a[u][I], terms.of[I])), ...);
        }
      }
      // The last vectors, one of which may be less than whole.
      for (; i < end; i += kWidth) {
        const int64_t count = std::min(kWidth, end - i);
        const auto terms = term(At<false>{*this, i, count});
        ((a[0][I] = F::join(a[0][I],
                            Lanes::first(terms.of[I], count, Lanes::set(F::template start<T>())))),
         ...);
      }
      for (int u = 1; u < kUnroll; ++u) ((a[0][I] = F::join(a[0][I], a[u][I])), ...);
      ((totals[I] = joined<F>(totals[I], a[0][I])), ...);
    }
  }

  template <class F>
  static OW_FOLD typename Lanes::Wide joined(typename Lanes::Wide total, V lanes) {
    if constexpr (F::kSum) {
      return total + static_cast<typename Lanes::Wide>(Lanes::sum(lanes));
    } else {
      const V both = F::join(Lanes::set(static_cast<T>(total)),
                             Lanes::set(Lanes::template join_lanes<F>(lanes)));
      return first_lane(both);
    }
  }
  static OW_FOLD T first_lane(V value) {
    if constexpr (kWidth == 1) {
      return value;
    } else {
      return hn::GetLane(value);
    }
  }

  const FoldRange& range_;
  const plans::FoldDims& folded_;
  int64_t n_ = 1, runs_ = 1;
  T* base_[kOperands];
  T* start_[kOperands];
  T* at_[kOperands];
  V states_[Shape::kSlots == 0 ? 1 : Shape::kSlots];
  // Of coordinates: of the row's first element, of this run's, from one element to the next.
  static constexpr int kCounted = Shape::kCoordinates == 0 ? 1 : Shape::kCoordinates;
  int64_t first_[kCounted], places_[kCounted], steps_[kCounted];
  V lanes_[kCounted];
};

template <class Program, class Shape, class T>
void fold_rows(const FoldRange& range) {
  Row<Shape, T> row(range);
  for (int64_t i = range.begin; i < range.end; ++i) {
    int64_t offsets[Shape::kPlaces] = {};
    range.plan->kept.add_offsets(i, Shape::kPlaces, offsets);
    row.move_to(offsets);
    Program::run(row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
