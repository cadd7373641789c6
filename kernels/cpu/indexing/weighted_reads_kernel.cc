// Loops of weighted_reads and its gradients, compiled for every instruction set. Single elements
// are read by vectors of indices; rows one after the other, each by vectors.
#include "kernels/cpu/indexing/weighted_reads_kernel.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/indexing/weighted_reads_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
class ReadsOf {
 public:
  static void read(const WeightedReads& reads, const void* in, void* out, const ReadPart& part) {
    if (!is_gathered(reads)) return read_rows(reads, in, out, part);
    const std::vector<Place> at = narrow(reads, part);
    const T* weight = static_cast<const T*>(reads.weight) + part.first;
    for (int64_t c = part.begin; c < part.end; ++c) {
      read_channel(reads, at.data(), weight, static_cast<const T*>(in) + c * reads.n,
                   static_cast<T*>(out) + c * reads.places + part.first, part.count);
    }
  }

  static void spread(const WeightedReads& reads, const void* grad, void* sums,
                     const ReadPart& part) {
    if (reads.row > 1) return for_rows(reads, sums, grad, part, &spread_row);
    for (int64_t c = part.begin; c < part.end; ++c) {
      const T* from = static_cast<const T*>(grad) + c * reads.places + part.first;
      spread_elements(reads, from, static_cast<T*>(sums) + c * reads.n, part);
    }
  }

  static void products(const WeightedReads& reads, const void* grad, const void* in, void* out,
                       const ReadPart& part) {
    T* sums = static_cast<T*>(out) + part.first;
    for (int64_t t = 0; t < reads.taps; ++t) std::fill_n(sums + t * reads.places, part.count, T(0));
    if (!is_gathered(reads)) return products_of_rows(reads, grad, in, sums, part);
    const std::vector<Place> at = narrow(reads, part);
    for (int64_t c = part.begin; c < part.end; ++c) {
      const T* g = static_cast<const T*>(grad) + c * reads.places + part.first;
      for (int64_t t = 0; t < reads.taps; ++t) {
        add_products(static_cast<const T*>(in) + c * reads.n, at.data() + t * part.count, g,
                     sums + t * reads.places, part.count);
      }
    }
  }

 private:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Index = hn::RebindToSigned<D>;
  using Place = hn::TFromD<Index>;

  static bool is_gathered(const WeightedReads& reads) {
    return reads.row == 1 && reads.n <= std::numeric_limits<Place>::max();
  }

  // [taps, count] of the indices in the width of the elements.
  static std::vector<Place> narrow(const WeightedReads& reads, const ReadPart& part) {
    std::vector<Place> at(static_cast<size_t>(reads.taps * part.count));
    for (int64_t t = 0; t < reads.taps; ++t) {
      const int64_t* index = reads.index + t * reads.places + part.first;
      Place* to = at.data() + t * part.count;
      for (int64_t i = 0; i < part.count; ++i) to[i] = static_cast<Place>(index[i]);
    }
    return at;
  }

  static HWY_INLINE V gathered(const T* from, const Place* at) {
    const auto index = hn::LoadU(Index(), at), zero = hn::Zero(Index());
    const V found = hn::GatherIndex(D(), from, hn::Max(index, zero));
    return hn::IfThenZeroElse(hn::RebindMask(D(), hn::Lt(index, zero)), found);
  }
  static HWY_INLINE T gathered_one(const T* from, Place at) { return at < 0 ? T(0) : from[at]; }

  static void read_channel(const WeightedReads& reads, const Place* at, const T* weight,
                           const T* from, T* out, int64_t count) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      V sum = hn::Mul(gathered(from, at + i), hn::LoadU(D(), weight + i));  // -0 stays
      for (int64_t t = 1; t < reads.taps; ++t) {
        const V w = hn::LoadU(D(), weight + t * reads.places + i);
        sum = hn::MulAdd(gathered(from, at + t * count + i), w, sum);
      }
      hn::StoreU(sum, D(), out + i);
    }
    for (; i < count; ++i) {
      T sum = gathered_one(from, at[i]) * weight[i];
      for (int64_t t = 1; t < reads.taps; ++t)
        sum += gathered_one(from, at[t * count + i]) * weight[t * reads.places + i];
      out[i] = sum;
    }
  }

  static HWY_INLINE void add_products(const T* from, const Place* at, const T* grad, T* sums,
                                      int64_t count) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      const V g = hn::LoadU(D(), grad + i), sum = hn::LoadU(D(), sums + i);
      hn::StoreU(hn::MulAdd(gathered(from, at + i), g, sum), D(), sums + i);
    }
    for (; i < count; ++i) sums[i] += gathered_one(from, at[i]) * grad[i];
  }

  // visit(row of [channels, n, row] or null, weight, row of [channels, places, row], length, tap)
  template <class In, class Out, class Visit>
  static HWY_INLINE void for_rows(const WeightedReads& reads, In* in, Out* out,
                                  const ReadPart& part, Visit visit) {
    using Rows = std::conditional_t<std::is_const_v<In>, const T, T>;
    using Places = std::conditional_t<std::is_const_v<Out>, const T, T>;
    const T* weight = static_cast<const T*>(reads.weight) + part.first;
    const int64_t* index = reads.index + part.first;
    for (int64_t c = part.begin; c < part.end; ++c) {
      Rows* rows = static_cast<Rows*>(in) + c * reads.n * reads.row;
      Places* at = static_cast<Places*>(out) + (c * reads.places + part.first) * reads.row;
      for (int64_t i = 0; i < part.count; ++i) {
        for (int64_t t = 0; t < reads.taps; ++t) {
          const int64_t k = index[t * reads.places + i];
          visit(k < 0 ? nullptr : rows + k * reads.row, weight[t * reads.places + i],
                at + i * reads.row, reads.row, t);
        }
      }
    }
  }

  // Two neighbours, of which most interpolations are made, are added up in one pass.
  static void read_rows(const WeightedReads& reads, const void* in, void* out,
                        const ReadPart& part) {
    if (reads.taps != 2) return for_rows(reads, in, out, part, &read_row);
    const T* weight = static_cast<const T*>(reads.weight) + part.first;
    const int64_t *first = reads.index + part.first, *second = first + reads.places;
    for (int64_t c = part.begin; c < part.end; ++c) {
      const T* rows = static_cast<const T*>(in) + c * reads.n * reads.row;
      T* to = static_cast<T*>(out) + (c * reads.places + part.first) * reads.row;
      for (int64_t i = 0; i < part.count; ++i, to += reads.row) {
        const T a = weight[i], b = weight[reads.places + i];
        if (first[i] >= 0 && second[i] >= 0) {
          add_two(rows + first[i] * reads.row, a, rows + second[i] * reads.row, b, to, reads.row);
        } else {
          read_row(first[i] < 0 ? nullptr : rows + first[i] * reads.row, a, to, reads.row, 0);
          read_row(second[i] < 0 ? nullptr : rows + second[i] * reads.row, b, to, reads.row, 1);
        }
      }
    }
  }

  static HWY_INLINE void add_two(const T* HWY_RESTRICT x, T a, const T* HWY_RESTRICT y, T b,
                                 T* HWY_RESTRICT to, int64_t n) {
    const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
    const V va = hn::Set(D(), a), vb = hn::Set(D(), b);
    int64_t r = 0;
    for (; r + lanes <= n; r += lanes) {
      const V first = hn::Mul(hn::LoadU(D(), x + r), va);
      hn::StoreU(hn::MulAdd(hn::LoadU(D(), y + r), vb, first), D(), to + r);
    }
    for (; r < n; ++r) to[r] = x[r] * a + y[r] * b;
  }

  static HWY_INLINE void read_row(const T* from, T weight, T* to, int64_t n, int64_t tap) {
    if (from == nullptr) {
      for (int64_t r = 0; r < n; ++r) to[r] = (tap == 0 ? T(0) : to[r]) + T(0) * weight;
    } else if (tap == 0) {
      for (int64_t r = 0; r < n; ++r) to[r] = from[r] * weight;
    } else {
      for (int64_t r = 0; r < n; ++r) to[r] += from[r] * weight;
    }
  }
  static void spread_elements(const WeightedReads& reads, const T* from, T* to,
                              const ReadPart& part) {
    for (int64_t t = 0; t < reads.taps; ++t) {
      const int64_t* index = reads.index + t * reads.places + part.first;
      const T* weight = static_cast<const T*>(reads.weight) + t * reads.places + part.first;
      for (int64_t i = 0; i < part.count; ++i) {
        if (index[i] >= 0) to[index[i]] += from[i] * weight[i];
      }
    }
  }
  static HWY_INLINE void spread_row(T* to, T weight, const T* from, int64_t n, int64_t /*tap*/) {
    if (to == nullptr) return;
    for (int64_t r = 0; r < n; ++r) to[r] += from[r] * weight;
  }

  static void products_of_rows(const WeightedReads& reads, const void* grad, const void* in,
                               T* sums, const ReadPart& part) {
    for (int64_t c = part.begin; c < part.end; ++c) {
      const T* rows = static_cast<const T*>(in) + c * reads.n * reads.row;
      const T* g = static_cast<const T*>(grad) + (c * reads.places + part.first) * reads.row;
      for (int64_t i = 0; i < part.count; ++i) {
        for (int64_t t = 0; t < reads.taps; ++t) {
          const int64_t k = reads.index[t * reads.places + part.first + i];
          if (k < 0) continue;
          T sum = 0;
          for (int64_t r = 0; r < reads.row; ++r)
            sum += g[i * reads.row + r] * rows[k * reads.row + r];
          sums[t * reads.places + i] += sum;
        }
      }
    }
  }
};

WeightedReadsKernel weighted_reads_kernel_here(ScalarType dtype) {
  return visit_float_double("weighted_reads", dtype, []<class T>(TypeTag<T>) {
    return WeightedReadsKernel{&ReadsOf<T>::read, &ReadsOf<T>::spread, &ReadsOf<T>::products};
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {

HWY_EXPORT(weighted_reads_kernel_here);

WeightedReadsKernel weighted_reads_kernel(ScalarType dtype) {
  return HWY_DYNAMIC_DISPATCH(weighted_reads_kernel_here)(dtype);
}

}  // namespace opweave::cpu
#endif
