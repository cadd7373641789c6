// Copies between strided rectangles.
#include "kernels/cpu/pointwise/strided.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/pointwise/strided.cc"
#include "kernels/cpu/pointwise/targets.h"
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
HWY_INLINE void store(char* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
void copy_row(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  constexpr int64_t kItem = sizeof(T);
  if (from_stride == 0) {
    const T value = load<T>(from);
    if (to_stride == kItem) {
      std::fill_n(reinterpret_cast<T*>(to), n, value);
    } else {
      for (int64_t i = 0; i < n; ++i) store(to + i * to_stride, value);
    }
  } else if (to_stride == kItem) {
    for (int64_t i = 0; i < n; ++i) store(to + i * kItem, load<T>(from + i * from_stride));
  } else {
    for (int64_t i = 0; i < n; ++i) store(to + i * to_stride, load<T>(from + i * from_stride));
  }
}

// --- transposing squares of up to 8 × 8 in registers --------------------------------------------

// Of at most 32 bytes: wider ones would need more registers than there are.
template <class T>
using SquareTag = hn::CappedTag<T, 32 / sizeof(T)>;
template <class T>
inline constexpr int kSquare = std::min<int>(HWY_LANES(T), 32 / sizeof(T));

// Exchanges the halves of two rows: in blocks of 16 bytes, then those blocks.
template <class D, class V, class Wide>
HWY_INLINE void interleave(D d, Wide wide, V& low, V& high) {
  const auto a = hn::BitCast(wide, low), b = hn::BitCast(wide, high);
  low = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
  high = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
}

template <class T>
HWY_INLINE void transpose_square(char* to, int64_t to_stride, const char* from,
                                 int64_t from_stride) {
  const SquareTag<T> d;
  const hn::Repartition<uint64_t, decltype(d)> d64;
  constexpr int kRows = kSquare<T>;
  constexpr int kPerBlock = 16 / sizeof(T);  // lanes of 16 bytes: 4 or 2
  hn::Vec<SquareTag<T>> r[kRows];
  for (int i = 0; i < kRows; ++i) {
    r[i] = hn::LoadU(d, reinterpret_cast<const T*>(from + i * from_stride));
  }
  if constexpr (sizeof(T) == 4) {
    for (int i = 0; i < kRows; i += 2) interleave(d, d, r[i], r[i + 1]);
    for (int i = 0; i < kRows; i += 4) {
      interleave(d, d64, r[i], r[i + 2]);
      interleave(d, d64, r[i + 1], r[i + 3]);
      std::swap(r[i + 1], r[i + 2]);
    }
  } else {
    for (int i = 0; i < kRows; i += 2) interleave(d, d, r[i], r[i + 1]);
  }
#if HWY_TARGET != HWY_SSE4
  for (int i = 0; i < kPerBlock; ++i) {
    const auto a = r[i], b = r[i + kPerBlock];
    r[i] = hn::ConcatLowerLower(d, b, a);
    r[i + kPerBlock] = hn::ConcatUpperUpper(d, b, a);
  }
#endif
  (void)kPerBlock;
  for (int i = 0; i < kRows; ++i) hn::StoreU(r[i], d, reinterpret_cast<T*>(to + i * to_stride));
}

// The source is dense along rows, the target along columns.
template <class T>
void transpose(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t columns) {
  constexpr int64_t kItem = sizeof(T);
  int64_t whole_rows = 0, whole_columns = 0;
  if constexpr (kItem >= 4) {
    whole_rows = rows / kSquare<T> * kSquare<T>;
    whole_columns = columns / kSquare<T> * kSquare<T>;
    for (int64_t c = 0; c < whole_columns; c += kSquare<T>) {
      for (int64_t r = 0; r < whole_rows; r += kSquare<T>) {
        transpose_square<T>(to.data + r * to.row_stride + c * kItem, to.row_stride,
                            from.data + c * from.column_stride + r * kItem, from.column_stride);
      }
    }
  }
  for (int64_t c = 0; c < columns; ++c) {
    const int64_t done = c < whole_columns ? whole_rows : 0;
    copy_row<T>(to.data + done * to.row_stride + c * kItem, to.row_stride,
                from.data + done * kItem + c * from.column_stride, kItem, rows - done);
  }
}

// --- all cases ----------------------------------------------------------------------------------

template <class T>
void copy_typed(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t columns) {
  constexpr int64_t kItem = sizeof(T);
  const bool dense = to.column_stride == kItem && from.column_stride == kItem;
  const bool transposed =
      to.column_stride == kItem && from.row_stride == kItem && rows > 1 && columns > 1;
  if (!dense && transposed) return transpose<T>(to, from, rows, columns);
  for (int64_t r = 0; r < rows; ++r) {
    char* const to_row = to.data + r * to.row_stride;
    const char* const from_row = from.data + r * from.row_stride;
    if (dense) {
      std::memcpy(to_row, from_row, static_cast<size_t>(columns * kItem));
    } else {
      copy_row<T>(to_row, to.column_stride, from_row, from.column_stride, columns);
    }
  }
}

void copy_items(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t columns,
                size_t item) {
  switch (item) {
    case 1:
      return copy_typed<uint8_t>(to, from, rows, columns);
    case 2:
      return copy_typed<uint16_t>(to, from, rows, columns);
    case 4:
      return copy_typed<uint32_t>(to, from, rows, columns);
    default:
      return copy_typed<uint64_t>(to, from, rows, columns);
  }
}

void stream(uint8_t* to, const uint8_t* from, int64_t nbytes, std::span<const char* const> ahead) {
  constexpr int64_t kLine = 64;
  const hn::ScalableTag<uint8_t> d;
  const auto width = static_cast<int64_t>(hn::Lanes(d));
  const int64_t lead = std::min<int64_t>(-reinterpret_cast<intptr_t>(to) & (width - 1), nbytes);
  std::memcpy(to, from, static_cast<size_t>(lead));
  int64_t i = lead;
  for (; i + kLine <= nbytes; i += kLine) {
    for (const char* next : ahead) __builtin_prefetch(next + i);
    for (int64_t k = i; k < i + kLine; k += width) hn::Stream(hn::LoadU(d, from + k), d, to + k);
  }
  std::memcpy(to + i, from + i, static_cast<size_t>(nbytes - i));
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(copy_items);
HWY_EXPORT(stream);

void copy_rectangle(const Rectangle<char*>& to, const Rectangle<const char*>& from, int64_t rows,
                    int64_t columns, size_t item) {
  HWY_DYNAMIC_DISPATCH(copy_items)(to, from, rows, columns, item);
}

void stream_bytes(void* to, const void* from, int64_t nbytes, std::span<const char* const> ahead) {
  HWY_DYNAMIC_DISPATCH(stream)
  (static_cast<uint8_t*>(to), static_cast<const uint8_t*>(from), nbytes, ahead);
}

void stream_fence() { hwy::FlushStream(); }

void prefetch_columns(const char* data, int64_t column_stride, int64_t columns, int64_t nbytes) {
  constexpr int64_t kLine = 64;
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t i = 0; i < nbytes; i += kLine) {
      __builtin_prefetch(data + c * column_stride + i, /*write=*/0, /*locality=*/2);
    }
  }
}

}  // namespace opweave::cpu
#endif
