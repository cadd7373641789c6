// Copies between strided rectangles.
#include "kernels/cpu/pointwise/strided.h"

#include <immintrin.h>

#include <algorithm>
#include <cstring>

namespace opweave::cpu {
namespace {

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store(char* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <class T>
void copy_row(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
  constexpr int64_t kItem = sizeof(T);
  if (from_stride == 0) {
    const T value = load<T>(from);
    for (int64_t i = 0; i < n; ++i) store(to + i * to_stride, value);
  } else if (to_stride == kItem) {
    for (int64_t i = 0; i < n; ++i) store(to + i * kItem, load<T>(from + i * from_stride));
  } else {
    for (int64_t i = 0; i < n; ++i) store(to + i * to_stride, load<T>(from + i * from_stride));
  }
}

// Columns of the source are dense: reads along them, a cache line at a time.
template <class T>
void transpose(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    copy_row<T>(to.data + c * to.column_stride, to.row_stride, from.data + c * from.column_stride,
                sizeof(T), rows);
  }
}

template <class T>
void copy_typed(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t columns) {
  constexpr int64_t kItem = sizeof(T);
  const bool dense_rows = to.column_stride == kItem && from.column_stride == kItem;
  if (!dense_rows && rows > 1 && from.row_stride == kItem) return transpose<T>(to, from, rows, columns);
  for (int64_t r = 0; r < rows; ++r) {
    char* const to_row = to.data + r * to.row_stride;
    const char* const from_row = from.data + r * from.row_stride;
    if (dense_rows) {
      std::memcpy(to_row, from_row, static_cast<size_t>(columns * kItem));
    } else {
      copy_row<T>(to_row, to.column_stride, from_row, from.column_stride, columns);
    }
  }
}

}  // namespace

void copy_rectangle(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t columns,
                    size_t item) {
  switch (item) {
    case 1: return copy_typed<uint8_t>(to, from, rows, columns);
    case 2: return copy_typed<uint16_t>(to, from, rows, columns);
    case 4: return copy_typed<uint32_t>(to, from, rows, columns);
    default: return copy_typed<uint64_t>(to, from, rows, columns);
  }
}

void stream_bytes(void* to, const void* from, int64_t nbytes) {
  char* out = static_cast<char*>(to);
  const char* in = static_cast<const char*>(from);
  const int64_t lead = std::min<int64_t>(-reinterpret_cast<intptr_t>(out) & 15, nbytes);
  std::memcpy(out, in, static_cast<size_t>(lead));
  int64_t i = lead;
  for (; i + 16 <= nbytes; i += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i), v);
  }
  std::memcpy(out + i, in + i, static_cast<size_t>(nbytes - i));
}

void stream_fence() { _mm_sfence(); }

}  // namespace opweave::cpu
