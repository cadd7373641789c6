// Moving rectangles of elements between memory of any strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace opweave::cpu {

// A rectangle in memory; strides in bytes.
template <class Pointer>
struct Rectangle {
  Pointer data;
  int64_t row_stride;
  int64_t column_stride;
};

// Copies rows × columns elements of `item` bytes (1, 2, 4 or 8). The two may only overlap by being
// the same.
void copy_rectangle(const Rectangle<char*>& to, const Rectangle<const char*>& from, int64_t rows,
                    int64_t columns, size_t item);

// Brings columns of `nbytes` dense bytes into the second-level cache.
void prefetch_columns(const char* data, int64_t column_stride, int64_t columns, int64_t nbytes);

// Copies dense bytes with stores that leave the cache alone. Loads see them after `stream_fence`.
// Meanwhile as many bytes from each address of `ahead` come into the cache: the memory would have
// nothing to read while it is written.
void stream_bytes(void* to, const void* from, int64_t nbytes,
                  std::span<const char* const> ahead = {});
void stream_fence();

}  // namespace opweave::cpu
