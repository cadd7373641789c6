// Moving lanes between memory and vectors: masks as bytes, and parts of a vector.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_LANES_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_LANES_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_LANES_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

#undef OW_POINTWISE
#define OW_POINTWISE HWY_INLINE

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bytes 0 or 1 as a mask of lanes.
template <class D>
OW_POINTWISE hn::Mask<D> load_mask(D d, const uint8_t* from) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint8_t, D> d8;
  const auto bytes = hn::LoadU(d8, from);
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(du, bytes), hn::Zero(du)));
  } else {
    const hn::Rebind<uint32_t, D> d32;
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(du, hn::PromoteTo(d32, bytes)), hn::Zero(du)));
  }
}

// A mask of lanes as bytes 0 or 1.
template <class D>
OW_POINTWISE void store_mask([[maybe_unused]] D d, hn::Mask<D> mask, uint8_t* to) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint8_t, D> d8;
  const auto ones = hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, 1));
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    hn::StoreU(hn::U8FromU32(ones), d8, to);
  } else {
    hn::StoreU(hn::TruncateTo(d8, ones), d8, to);
  }
}

template <class D>
OW_POINTWISE void store_result(D d, hn::Vec<D> value, void* out, int64_t i) {
  hn::StoreU(value, d, static_cast<hn::TFromD<D>*>(out) + i);
}
template <class D>
OW_POINTWISE void store_result(D d, hn::Mask<D> value, void* out, int64_t i) {
  store_mask(d, value, static_cast<uint8_t*>(out) + i);
}

// A few bytes; inline, because a call of memcpy costs more than they do.
OW_POINTWISE void copy_bytes(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    static_cast<uint8_t*>(to)[i] = static_cast<const uint8_t*>(from)[i];
}

// The first n lanes from memory, the others zero; nothing after them is read.
template <class D>
OW_POINTWISE hn::Vec<D> load_part(D d, const hn::TFromD<D>* from, int64_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN hn::TFromD<D> lanes[HWY_LANES(hn::TFromD<D>)] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, from);
#endif
}

// Writes the first n lanes.
template <class D>
OW_POINTWISE void store_part(D d, hn::Vec<D> value, hn::TFromD<D>* to, int64_t n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN hn::TFromD<D> lanes[HWY_LANES(hn::TFromD<D>)];
  hn::Store(value, d, lanes);
  for (int64_t i = 0; i < n; ++i) to[i] = lanes[i];
#else
  hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(n)), d, to);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
