// Elements on their way: rectangles are moved as words, dense runs converted.
#include "kernels/cpu/folds/fold_stage.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/pointwise/convert.h"
#include "kernels/cpu/pointwise/strided.h"

namespace opweave::cpu {
namespace {

// What is converted at once, in the first cache.
constexpr int64_t kChunk = 1024;
constexpr int64_t kWidest = 16;  // bytes of an element

// Calls body(row, rows, begin, n) for parts of a rectangle that have at most kChunk elements; rows
// that are not of one piece are only moved together where they are short.
template <class Body>
void in_chunks(int64_t rows, int64_t n, bool of_one_piece, const Body& body) {
  constexpr int64_t kShort = 32;
  const int64_t together =
      of_one_piece || n < kShort ? std::max<int64_t>(kChunk / std::max<int64_t>(n, 1), 1) : 1;
  for (int64_t r = 0; r < rows; r += together) {
    for (int64_t i = 0; i < n; i += kChunk)
      body(r, std::min(together, rows - r), i, std::min(kChunk, n - i));
  }
}

// Strides in elements of `item` bytes. Along what lies densely in the target, if anything does:
// such a copy is fast, or a transposition.
void move(Rectangle<char*> to, Rectangle<const char*> from, int64_t rows, int64_t n, int64_t item) {
  to.row_stride *= item;
  to.column_stride *= item;
  from.row_stride *= item;
  from.column_stride *= item;
  if (to.column_stride != item && to.row_stride == item) {
    std::swap(to.row_stride, to.column_stride);
    std::swap(from.row_stride, from.column_stride);
    std::swap(rows, n);
  }
  copy_rectangle(to, from, rows, n, static_cast<size_t>(item));
}

// From one type to another, by dense runs.
struct Conversion {
  ScalarType to_type, from_type;
  int64_t to_item = static_cast<int64_t>(element_size(to_type));
  int64_t from_item = static_cast<int64_t>(element_size(from_type));

  void run(const Rectangle<char*>& to, const Rectangle<const char*>& from, int64_t rows,
           int64_t n) const {
    alignas(64) char dense[kChunk * kWidest], converted[kChunk * kWidest];
    const bool of_one_piece = from.column_stride == 1 && to.column_stride == 1 &&
                              from.row_stride == n && to.row_stride == n;
    in_chunks(rows, n, of_one_piece, [&](int64_t r, int64_t count, int64_t i, int64_t width) {
      const auto is_dense = [&](const auto& place) {
        return place.column_stride == 1 && (count == 1 || place.row_stride == width);
      };
      const char* source = from.data + (r * from.row_stride + i * from.column_stride) * from_item;
      char* const target = to.data + (r * to.row_stride + i * to.column_stride) * to_item;
      if (!is_dense(from)) {
        move({dense, width, 1}, {source, from.row_stride, from.column_stride}, count, width,
             from_item);
        source = dense;
      }
      if (is_dense(to)) return convert(target, to_type, source, from_type, count * width);
      convert(converted, to_type, source, from_type, count * width);
      move({target, to.row_stride, to.column_stride}, {converted, width, 1}, count, width, to_item);
    });
  }
};

}  // namespace

void FoldStage::read(int operand, const Place& from, void* to, int64_t to_row,
                     int64_t to_stride) const {
  const Rectangle<char*> target{static_cast<char*>(to), to_row, to_stride};
  const uint64_t zero = 0;
  if (from.data == nullptr) {
    move(target, {reinterpret_cast<const char*>(&zero), 0, 0}, from.rows, from.n, computed_item());
    return;
  }
  const Rectangle<const char*> source{static_cast<const char*>(from.data), from.row_stride,
                                      from.stride};
  if (dtypes[operand] == computed) return move(target, source, from.rows, from.n, computed_item());
  Conversion{computed, dtypes[operand]}.run(target, source, from.rows, from.n);
}

void FoldStage::write(int operand, const Place& to, const void* from, int64_t from_row,
                      int64_t from_stride) const {
  if (to.data == nullptr) return;
  const Rectangle<char*> target{static_cast<char*>(to.data), to.row_stride, to.stride};
  const Rectangle<const char*> source{static_cast<const char*>(from), from_row, from_stride};
  if (dtypes[operand] == computed) return move(target, source, to.rows, to.n, computed_item());
  Conversion{dtypes[operand], computed}.run(target, source, to.rows, to.n);
}

}  // namespace opweave::cpu
