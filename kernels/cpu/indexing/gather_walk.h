// GatherWalk: the loop that gather and all kinds of scatter share. It visits the elements of an
// index together with the element of `self` that each names and with the element at the index's own
// place in `other`.
#pragma once

#include "kernels/cpu/common/odometer.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/core/tensor.h"

namespace opweave::cpu {

class GatherWalk {
 public:
  // `index` is int64. `other` may be null: then the visitor gets a null pointer.
  GatherWalk(const Tensor& self, int64_t dim, const Tensor& index, const Tensor* other);

  // visit(element of self, element of other) in the order of the index, but for threads: these
  // split the index such that elements which may meet in one place of self stay in one thread.
  template <class T, class Visit>
  void run(Visit visit) const;

 private:
  struct Operand {
    char* data = nullptr;
    DimVector outer;  // strides in bytes, innermost first
    int64_t along = 0, inner = 0;
  };
  // A part of the walk: all of it along `dim`, a range of the inner dimension.
  struct Part {
    char* self;
    const char* index;
    char* other;
    int64_t begin, end;
  };

  Operand operand(const Tensor& t) const;
  template <class T, class Visit>
  void run_part(const Part& part, Visit& visit) const;
  [[noreturn]] void fail(int64_t index) const;

  int64_t dim_, inner_dim_;  // the inner dimension is -1 when dim_ itself is the last one
  int64_t size_;             // of self along dim_
  int64_t along_, inner_size_, outer_count_ = 1;
  DimVector outer_sizes_;
  Operand self_, index_, other_;
};

template <class T, class Visit>
void GatherWalk::run_part(const Part& part, Visit& visit) const {
  for (int64_t i = 0; i < along_; ++i) {
    const char* index = part.index + i * index_.along;
    char* other = part.other + i * other_.along;
    for (int64_t j = part.begin; j < part.end; ++j) {
      const int64_t k = *reinterpret_cast<const int64_t*>(index + j * index_.inner);
      if (static_cast<uint64_t>(k) >= static_cast<uint64_t>(size_)) [[unlikely]]
        fail(k);
      visit(reinterpret_cast<T*>(part.self + k * self_.along + j * self_.inner),
            reinterpret_cast<T*>(other + j * other_.inner));
    }
  }
}

template <class T, class Visit>
void GatherWalk::run(Visit visit) const {
  const bool by_outer = outer_count_ > 1;
  const auto part = [&](int64_t first, int64_t past, int64_t begin, int64_t end) {
    Odometer self(outer_sizes_, self_.outer, 0), index(outer_sizes_, index_.outer, 0);
    Odometer other(outer_sizes_, other_.outer, 0);
    for (Odometer* odometer : {&self, &index, &other}) odometer->seek(first);
    for (int64_t o = first; o < past; ++o) {
      run_part<T>({self_.data + self.offset(), index_.data + index.offset(),
                   other_.data + other.offset(), begin, end},
                  visit);
      for (Odometer* odometer : {&self, &index, &other}) odometer->next();
    }
  };
  if (by_outer) {
    const int64_t grain = std::max<int64_t>(kGrainSize / (along_ * inner_size_ + 1), 1);
    parallel_for(0, outer_count_, grain,
                 [&](int64_t first, int64_t past) { part(first, past, 0, inner_size_); });
  } else {
    const int64_t grain = std::max<int64_t>(kGrainSize / (along_ + 1), 16);
    parallel_for(0, inner_size_, grain,
                 [&](int64_t begin, int64_t end) { part(0, 1, begin, end); });
  }
}

}  // namespace opweave::cpu
