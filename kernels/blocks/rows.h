// The rows of a call as a program sees them: the R of its run(R&). How a formula is folded is
// decided here, once for all formulas and schedules.
//
// A block is kRows groups of kLanes threads; a group walks a row, its lanes side by side. The rows
// of short ones lie one after another (8 or 32 lanes, several rows a block), a long one has a block
// of its own. Where the folded dimension is an outer one neighbouring rows lie side by side: then
// so do their threads (kAdjacent), and memory is read in lines.
//
// A row that is split has a block for each of its parts. Between blocks there is no barrier, so the
// kernel runs once for each fold, and once for what comes after them (phases): the first phases
// write what each part folds to into scratch memory, later ones join that. Nothing depends on when
// blocks run, or on how many run at once.
#pragma once

#include "kernels/blocks/folds.h"
#include "kernels/blocks/geometry.h"
#include "kernels/blocks/math.h"

namespace opweave::blocks {

// `kDims`: how many folded dimensions there are, 1 or 2.
template <int kLanesOf, int kRowsOf, bool kAdjacentOf, bool kSplitOf, int kDimsOf>
struct Schedule {
  static constexpr int kLanes = kLanesOf;
  static constexpr int kRows = kRowsOf;
  static constexpr bool kAdjacent = kAdjacentOf;
  static constexpr bool kSplit = kSplitOf;
  static constexpr int kDims = kDimsOf;
  static constexpr int kThreads = kLanes * kRows;
};

// The threads of one row. `memory` is for one W a thread.
template <class Schedule, class W>
struct Group {
  OW_SHARED W* memory;

  static OW_BLOCK int lane() {
    return Schedule::kAdjacent ? thread() / Schedule::kRows : thread() % Schedule::kLanes;
  }
  static OW_BLOCK int row() {
    return Schedule::kAdjacent ? thread() % Schedule::kRows : thread() / Schedule::kLanes;
  }

  // What all lanes have, joined in one order, which is the same for all lanes. All threads of the
  // block come here.
  template <class Fold>
  OW_BLOCK W join(W value) const {
    if constexpr (Schedule::kAdjacent) {
      memory[thread()] = value;
      return join_memory<Fold, Schedule::kLanes, Schedule::kRows>(row());
    } else {
      value = join_near<Fold, (Schedule::kLanes < kWarp ? Schedule::kLanes : kWarp) / 2>(value);
      if constexpr (Schedule::kLanes > kWarp) {
        constexpr int kWarps = Schedule::kLanes / kWarp;
        if (thread() % kWarp == 0) memory[thread() / kWarp] = value;
        return join_memory<Fold, kWarps, 1>(row() * kWarps);
      } else {
        return value;
      }
    }
  }

 private:
  // Those of a warp. No loop: PoCL has barriers of its own between the rounds of loops, which would
  // hide that one lacks.
  template <class Fold, int kDistance>
  OW_BLOCK W join_near(W value) const {
    if constexpr (kDistance == 0) {
      return value;
    } else {
      const W other = exchange(value, kDistance, memory);
      const bool upper = (thread() & kDistance) != 0;
      return join_near<Fold, kDistance / 2>(
          Fold::join(upper ? other : value, upper ? value : other));
    }
  }

  // `kCount` numbers in shared memory that this block's threads have just written.
  template <class Fold, int kCount, int kStep>
  OW_BLOCK W join_memory(int from) const {
    meet();
    W value = memory[from];
    for (int k = 1; k < kCount; ++k) value = Fold::join(value, memory[from + k * kStep]);
    meet();
    return value;
  }
};

// One element of a row, or, for what is said of whole rows, the row.
template <class Rows>
struct Element {
  using C = typename Rows::C;
  Rows& rows;
  Place at;

  OW_BLOCK C size() const { return rows.size(); }
  template <int k>
  OW_BLOCK C in() const {
    return rows.template read<k>(at);
  }
  template <int k>
  OW_BLOCK C row() const {
    return rows.template read<Rows::Signature::kRowsFrom + k>(Place{0, 0, 0});
  }
  template <int k>
  OW_BLOCK C state() const {
    return rows.states[k];
  }
  template <int k>
  OW_BLOCK C coordinate() const {
    return static_cast<C>(rows.distance(rows.geometry.coordinates[k], at));
  }
  template <class... T>
  OW_BLOCK Terms<C, sizeof...(T)> terms(T... of) const {
    return {{of...}};
  }
  template <int k>
  OW_BLOCK void put(C value) const {
    rows.template write<k>(at, value);
  }
  template <int k>
  OW_BLOCK void add(C value) const {
    rows.template add_up<k>(at, value);
  }
  // What an earlier walk computed is cheaper to compute again than to fetch.
  template <int k>
  OW_BLOCK void keep(C) const {}
  template <int k, class Again>
  OW_BLOCK C kept(Again again) const {
    return again();
  }
};

inline constexpr int kMaxStates = 24;

// What is the same for all rows of a block.
template <class C>
struct Memory {
  OW_GLOBAL void* operands[kMaxOperands];
  OW_GLOBAL void* scratch;
  OW_SHARED char* shared;
};

template <class SignatureOf, class Schedule>
struct Rows {
  using Signature = SignatureOf;
  using C = typename Signature::Value;
  using W = Wide<C>;
  using Here = Element<Rows>;

  // Rounds of a loop that are written out: more of them would take more registers than there are.
  static constexpr int kUnroll = sizeof(C) < 8 ? 2 : 1;

  const Memory<C>& memory;
  const Geometry<C>& geometry;
  Index row, inner, outer;         // the row is the inner one of an outer one
  Index part, walked;              // `walked`: rows that this group has been at before
  bool exists;                     // there are groups beyond the last row
  Index lanes_around, lanes_rest;  // all lanes, divided by the inner folded dimension
  Index fold_index;
  C states[kMaxStates];

  OW_BLOCK Rows(const Memory<C>& in, const Geometry<C>& as, Index first, Index of_part,
                Index before)
      : memory(in), geometry(as), part(of_part), walked(before), fold_index(0) {
    row = first + before * Schedule::kRows + Threads::row();
    exists = row < geometry.rows;
    if (!exists) row = 0;
    outer = row / geometry.inner_rows;
    inner = row - outer * geometry.inner_rows;
    if constexpr (Schedule::kDims == 2) {
      lanes_around = Schedule::kLanes / geometry.inner_size;
      lanes_rest = Schedule::kLanes - lanes_around * geometry.inner_size;
    }
  }

  // --- what programs say
  OW_BLOCK m::Tag<C> tag() const { return {}; }
  OW_BLOCK C size() const { return static_cast<C>(geometry.size); }
  template <int k>
  OW_BLOCK C param() const {
    return geometry.params[k];
  }

  // `kTogether` is of processors, which fold several vectors side by side.
  template <int kSlot, int kTogether, class... Folds, class Term>
  OW_BLOCK void fold(Term term) {
    using All = Together<Folds...>;
    static_assert(kSlot + All::kCount <= kMaxStates);
    W totals[All::kCount];
    All::begin(totals);
    if (is_now())
      walk<All>(term, totals);
    else if (fold_index < geometry.phase)
      read_parts<kSlot, All>(totals);
    // In every phase: barriers are for all threads, whatever they are there for.
    All::join_lanes(totals, threads());
    for (int k = 0; k < All::kCount; ++k) states[kSlot + k] = static_cast<C>(totals[k]);
    if (Schedule::kSplit && is_now() && leads()) write_part<kSlot, All>(totals);
    ++fold_index;
  }

  // What is not known yet is some number here, and nobody asks for it.
  template <int kSlot, class Value>
  OW_BLOCK void value(Value of) {
    states[kSlot] = of(Here{*this, {0, 0, 0}});
  }

  template <class Body>
  OW_BLOCK void map(Body body) {
    if (!is_now()) return;
    const Index end = part_end();
    Place place = place_of(part_begin());
    OW_UNROLL
    for (; place.at < end; step(place)) body(Here{*this, place});
  }

  template <int k, class Value>
  OW_BLOCK void result(Value of) {
    if (!is_now() || !leads() || part != 0) return;
    write<k>(Place{0, 0, 0}, of(Here{*this, {0, 0, 0}}));
  }

  // --- operands
  template <int kOperand>
  OW_BLOCK C read(Place place) const {
    using T = typename Signature::template MemoryOf<kOperand>::type;
    return load<C>((OW_GLOBAL const T*)memory.operands[kOperand], offset<kOperand>(place));
  }
  template <int k>
  OW_BLOCK void write(Place place, C value) const {
    constexpr int kOperand = Signature::kResultsFrom + k;
    using T = typename Signature::template MemoryOf<kOperand>::type;
    store((OW_GLOBAL T*)memory.operands[kOperand], offset<kOperand>(place), value);
  }
  // Into a sum of this group alone, over the rows that it walks: an element is one lane's.
  template <int k>
  OW_BLOCK void add_up(Place place, C value) const {
    constexpr int kOperand = Signature::kResultsFrom + k;
    const Strides& strides = geometry.operands[kOperand];
    const Index group = block() / geometry.parts * Schedule::kRows + Threads::row();
    OW_GLOBAL C* sums = (OW_GLOBAL C*)memory.operands[kOperand];
    OW_GLOBAL C* sum = sums + group * strides.row[0] + place.at * strides.element[0];
    *sum = walked == 0 ? value : *sum + value;
  }

  OW_BLOCK Index distance(const Strides& strides, Place place) const {
    const Index first = inner * strides.row[0] + outer * strides.row[1];
    if constexpr (Schedule::kDims == 1)
      return first + place.at * strides.element[0];
    else
      return first + place.inner * strides.element[0] + place.outer * strides.element[1];
  }

 private:
  using Threads = Group<Schedule, W>;

  OW_BLOCK Threads threads() const { return {(OW_SHARED W*)memory.shared}; }
  OW_BLOCK bool leads() const { return exists && Threads::lane() == 0; }
  OW_BLOCK bool is_now() const { return !Schedule::kSplit || fold_index == geometry.phase; }

  OW_BLOCK Index part_begin() const {
    return (Schedule::kSplit ? part * geometry.part_size : 0) + Threads::lane();
  }
  OW_BLOCK Index part_end() const {
    if (!exists) return 0;
    if (!Schedule::kSplit) return geometry.size;
    const Index end = (part + 1) * geometry.part_size;
    return end < geometry.size ? end : geometry.size;
  }

  template <int kOperand>
  OW_BLOCK Index offset(Place place) const {
    return distance(geometry.operands[kOperand], place);
  }

  // A lane divides for its first element alone.
  OW_BLOCK Place place_of(Index at) const {
    if constexpr (Schedule::kDims == 1) return {at, 0, 0};
    const Index around = at / geometry.inner_size;
    return {at, at - around * geometry.inner_size, around};
  }
  OW_BLOCK void step(Place& place) const {
    place.at += Schedule::kLanes;
    if constexpr (Schedule::kDims == 2) {
      place.inner += lanes_rest;
      place.outer += lanes_around;
      if (place.inner < geometry.inner_size) return;
      place.inner -= geometry.inner_size;
      ++place.outer;
    }
  }

  // This lane's elements: kNear of them are joined as they are, then in the wide type.
  template <class All, class Term>
  OW_BLOCK void walk(Term term, W* totals) {
    const Index end = part_end();
    Place place = place_of(part_begin());
    while (place.at < end) {
      const Index whole = place.at + kNear * Schedule::kLanes, to = whole < end ? whole : end;
      C near[All::kCount];
      All::begin(near);
      OW_UNROLL
      for (; place.at < to; step(place)) {
        const auto of = term(Here{*this, place});
        All::join(near, of.values);
      }
      All::join(totals, near);
    }
  }

  // --- a row in parts: scratch[slot][row][part]
  OW_BLOCK OW_GLOBAL W* parts_of(int slot) const {
    return (OW_GLOBAL W*)memory.scratch + (slot * geometry.rows + row) * geometry.parts;
  }
  template <int kSlot, class All>
  OW_BLOCK void write_part(const W* totals) const {
    for (int k = 0; k < All::kCount; ++k) parts_of(kSlot + k)[part] = totals[k];
  }
  template <int kSlot, class All>
  OW_BLOCK void read_parts(W* totals) const {
    for (Index p = Threads::lane(); p < geometry.parts; p += Schedule::kLanes) {
      W of[All::kCount];
      for (int k = 0; k < All::kCount; ++k) of[k] = parts_of(kSlot + k)[p];
      All::join(totals, of);
    }
  }
};

// A block of a kernel: `rows_each` rows for each of its groups.
template <class Program, class Signature, class Schedule, class C>
OW_BLOCK void run_block(const Memory<C>& memory, const Geometry<C>& geometry) {
  const Index part = Schedule::kSplit ? block() % geometry.parts : 0;
  const Index first = block() / geometry.parts * geometry.rows_each * Schedule::kRows;
  for (Index k = 0; k < geometry.rows_each && first + k * Schedule::kRows < geometry.rows; ++k) {
    Rows<Signature, Schedule> rows(memory, geometry, first, part, k);
    Program::run(rows);
  }
}

}  // namespace opweave::blocks
