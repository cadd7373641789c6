// Highway's vectorised quicksort for the two words that lines are sorted as. Its library, which
// holds every type in both orders for more instruction sets, would take ten times the room.
#include <cstring>

#include "kernels/cpu/pointwise/targets.h"
#include "kernels/cpu/sorting/sort_keys.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sorting/sort_words.cc"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "hwy/contrib/sort/traits-inl.h"
#include "hwy/contrib/sort/traits128-inl.h"
#include "hwy/contrib/sort/vqsort-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// On the stack: what it would put into memory that is given, it needs for vectors of unknown
// length.
template <class Traits>
void sort_as(uint64_t* words, size_t n) {
  hn::Sort(hn::SortTag<uint64_t>(), hn::detail::SharedTraits<Traits>(), words, n,
           static_cast<uint64_t*>(nullptr));
}

void sort_words_64(uint64_t* words, size_t n) {
  sort_as<hn::detail::TraitsLane<hn::detail::OrderAscending<uint64_t>>>(words, n);
}
// Pairs, the low half first.
void sort_words_128(uint64_t* words, size_t n) {
  sort_as<hn::detail::Traits128<hn::detail::OrderAscending128>>(words, n);
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
// Which pivots are tried: the same ones in every run. Bad luck ends in a heap sort.
void hwy::Sorter::Fill24Bytes(const void* /*heap*/, size_t /*num*/, void* bytes) {
  constexpr uint64_t kSeed[3] = {0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB};
  std::memcpy(bytes, kSeed, sizeof(kSeed));
}

namespace opweave::cpu {

HWY_EXPORT(sort_words_64);
HWY_EXPORT(sort_words_128);

void sort_words(uint64_t* words, int64_t n) {
  HWY_DYNAMIC_DISPATCH(sort_words_64)(words, static_cast<size_t>(n));
}
void sort_words(WideWord* words, int64_t n) {
  static_assert(sizeof(WideWord) == 2 * sizeof(uint64_t));
  HWY_DYNAMIC_DISPATCH(sort_words_128)
  (reinterpret_cast<uint64_t*>(words), 2 * static_cast<size_t>(n));
}

}  // namespace opweave::cpu
#endif  // HWY_ONCE
