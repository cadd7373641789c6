// Rows and columns of images by two vectors of indices: what nearest neighbours are. Rows that are
// listed again are copied from the result, where they lie in one piece.
#include <cstring>

#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/_crossed_select.h"
#include "runtime/core/base/error.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

void check_indices(const Tensor& index, int64_t size, std::string_view name) {
  const int64_t* at = index.data<int64_t>();
  for (int64_t i = 0; i < index.numel(); ++i) {
    OW_CHECK_INDEX(at[i] >= 0 && at[i] < size, "_crossed_select(): index ", at[i], " of ", name,
                   " is out of bounds for a dimension of size ", size);
  }
}

// `count` elements of `kBytes` each.
template <size_t kBytes>
void gather(const char* from, const int64_t* at, int64_t count, size_t /*bytes*/, char* to) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * kStep, from + at[i] * kStep, kBytes);
}

void gather_any(const char* from, const int64_t* at, int64_t count, size_t bytes, char* to) {
  const auto step = static_cast<int64_t>(bytes);
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * step, from + at[i] * step, bytes);
}

using Gather = void (*)(const char*, const int64_t*, int64_t, size_t, char*);

Gather gather_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return &gather<1>;
    case 2:
      return &gather<2>;
    case 3:
      return &gather<3>;
    case 4:
      return &gather<4>;
    case 8:
      return &gather<8>;
    case 12:
      return &gather<12>;
    case 16:
      return &gather<16>;
    case 32:
      return &gather<32>;
    case 64:
      return &gather<64>;
    case 128:
      return &gather<128>;
    case 256:
      return &gather<256>;
    default:
      return &gather_any;
  }
}

// Whether all columns are listed in their order.
bool are_all(const Tensor& columns, int64_t size) {
  const int64_t* at = columns.data<int64_t>();
  for (int64_t i = 0; i < columns.numel(); ++i)
    if (at[i] != i) return false;
  return columns.numel() == size;
}

}  // namespace

void _crossed_select(const Tensor& self, const Tensor& rows, const Tensor& columns, Tensor& out) {
  const Dense in(self), row_index(rows), column_index(columns);
  check_indices(row_index, self.size(1), "rows");
  check_indices(column_index, self.size(2), "columns");
  if (out.numel() == 0) return;
  const auto bytes = static_cast<size_t>(self.size(3)) * self.element_size();
  const int64_t count = columns.size(0), row_count = rows.size(0);
  const int64_t from_row = self.size(2) * static_cast<int64_t>(bytes);
  const int64_t to_row = count * static_cast<int64_t>(bytes);
  const Gather copy = gather_of(bytes);
  const bool whole = are_all(column_index, self.size(2));
  const auto *at = row_index->data<int64_t>(), *columns_at = column_index->data<int64_t>();
  const char* const source = static_cast<const char*>(in->raw_data());
  char* const result = static_cast<char*>(out.raw_data());
  parallel_for(0, self.size(0) * row_count, kGrainSize / (count * self.size(3) + 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t example = i / row_count, row = i % row_count;
                   const char* from = source + (example * self.size(1) + at[row]) * from_row;
                   char* to = result + i * to_row;
                   const bool again = i > begin && row > 0 && at[row] == at[row - 1];
                   if (again || whole) {
                     std::memcpy(to, again ? to - to_row : from, static_cast<size_t>(to_row));
                   } else {
                     copy(from, columns_at, count, bytes, to);
                   }
                 }
               });
}

}  // namespace opweave::cpu
