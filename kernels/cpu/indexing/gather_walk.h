// GatherWalk: the loop of a GatherPlan, over memory of the host.
#pragma once

#include <algorithm>

#include "kernels/plans/gather_plan.h"
#include "kernels/plans/odometer.h"
#include "runtime/core/base/error.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {

class GatherWalk {
 public:
  // `index` is int64. `other` may be null: then the visitor gets a null pointer.
  GatherWalk(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* other)
      : plan_(self, dim, index, other),
        self_(static_cast<char*>(self.raw_data())),
        index_(static_cast<const char*>(index.raw_data())),
        other_(other == nullptr ? nullptr : static_cast<char*>(other->raw_data())) {}

  // visit(element of self, element of other) in the order of the index, but for threads: these
  // split the index such that elements which may meet in one place of self stay in one thread.
  template <class T, class Visit>
  void run(Visit visit) const;

 private:
  // A part of the walk: all of it along the dimension, a range of the inner one.
  struct Part {
    char* self;
    const char* index;
    char* other;
    int64_t begin, end;
  };

  template <class T, class Visit>
  void run_part(const Part& part, Visit& visit) const;
  [[noreturn]] void fail(int64_t index) const;

  plans::GatherPlan plan_;
  char* self_;
  const char* index_;
  char* other_;
};

template <class T, class Visit>
void GatherWalk::run_part(const Part& part, Visit& visit) const {
  for (int64_t i = 0; i < plan_.along; ++i) {
    const char* index = part.index + i * plan_.index.along;
    char* other = part.other + i * plan_.other.along;
    for (int64_t j = part.begin; j < part.end; ++j) {
      const int64_t k = *reinterpret_cast<const int64_t*>(index + j * plan_.index.inner);
      if (static_cast<uint64_t>(k) >= static_cast<uint64_t>(plan_.size)) [[unlikely]]
        fail(k);
      visit(reinterpret_cast<T*>(part.self + k * plan_.self.along + j * plan_.self.inner),
            reinterpret_cast<T*>(other + j * plan_.other.inner));
    }
  }
}

template <class T, class Visit>
void GatherWalk::run(Visit visit) const {
  const auto part = [&](int64_t first, int64_t past, int64_t begin, int64_t end) {
    plans::Odometer self(plan_.outer_sizes, plan_.self.outer, 0);
    plans::Odometer index(plan_.outer_sizes, plan_.index.outer, 0);
    plans::Odometer other(plan_.outer_sizes, plan_.other.outer, 0);
    for (plans::Odometer* odometer : {&self, &index, &other}) odometer->seek(first);
    for (int64_t o = first; o < past; ++o) {
      run_part<T>(
          {self_ + self.offset(), index_ + index.offset(), other_ + other.offset(), begin, end},
          visit);
      for (plans::Odometer* odometer : {&self, &index, &other}) odometer->next();
    }
  };
  if (plan_.outer_count > 1) {
    const int64_t grain = std::max<int64_t>(kGrainSize / (plan_.along * plan_.inner_size + 1), 1);
    parallel_for(0, plan_.outer_count, grain,
                 [&](int64_t first, int64_t past) { part(first, past, 0, plan_.inner_size); });
  } else {
    const int64_t grain = std::max<int64_t>(kGrainSize / (plan_.along + 1), 16);
    parallel_for(0, plan_.inner_size, grain,
                 [&](int64_t begin, int64_t end) { part(0, 1, begin, end); });
  }
}

}  // namespace opweave::cpu
