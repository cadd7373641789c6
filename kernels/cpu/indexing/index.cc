// Reading and writing by index: rows are copied, or added, as blocks.
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/common/words.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/indexing/indexed_rows.h"
#include "kernels/cpu/indexing/wide_sums.h"
#include "opweave/kernels/cpu/_index.h"
#include "opweave/kernels/cpu/_index_put_.h"
#include "opweave/kernels/cpu/index_add_.h"
#include "opweave/kernels/cpu/index_copy_.h"
#include "opweave/kernels/cpu/index_select.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/overlap.h"

namespace opweave::cpu {
namespace {

constexpr int64_t kGrainBytes = int64_t{4} * kGrainSize;

// index_select and its kin index one dimension.
struct OneIndex {
  std::vector<Tensor> indices;
  IndexShape shape;

  OneIndex(const Tensor& self, int64_t dim, const Tensor& index) {
    const int64_t d = wrap_dim(dim, self.dim());
    indices.resize(static_cast<size_t>(d) + 1);
    indices.back() = positions(index);
    shape = index_shape(self, indices);
  }

 private:
  // A vector of them, in a row.
  static Tensor positions(const Tensor& index) {
    if (index.dtype() == kLong && index.is_contiguous())
      return make_alias(index, {index.numel()}, {1}, index.storage_offset());
    Tensor copy = make_tensor({index.numel()}, kLong, kCPU);
    Tensor flat = make_alias(copy, index.sizes(), contiguous_strides(index.sizes()), 0);
    copy_elements(flat, index);
    return copy;
  }
};

// A number is indexed like a vector of one element.
Tensor at_least_1d(const Tensor& t) {
  return t.dim() > 0 ? t : make_alias(t, {1}, {1}, t.storage_offset());
}

// `run` are the bytes of a block.
template <class Run>
void read_dense(const IndexedRows& plan, Run run, int64_t begin, int64_t end, const char* from,
                char* to) {
  plan.for_joined_rows(begin, end, [=](int64_t row, int64_t offset, int64_t count) {
    if (count == 1) {
      std::memcpy(to + row * run, from + offset, run);
    } else {
      std::memcpy(to + row * run, from + offset, static_cast<size_t>(count * run));
    }
  });
}

void read(const Tensor& self, const IndexedRows& plan, Tensor& result) {
  const plans::StridedBlock& block = plan.block();
  if (result.numel() == 0) return;
  const auto* from = static_cast<const char*>(self.raw_data());
  auto* to = static_cast<char*>(result.raw_data());
  const int64_t grain = std::max<int64_t>(kGrainBytes / block.bytes, 1);
  parallel_for(0, plan.rows(), grain, [&](int64_t begin, int64_t end) {
    with_run(block.run, [&](auto run) {
      if (block.is_dense()) return read_dense(plan, run, begin, end, from, to);
      plan.for_rows(begin, end, [&](int64_t row, int64_t offset) {
        for_runs(block, run, from + offset, to + row * block.bytes,
                 [run](const char* in, char* out) { std::memcpy(out, in, run); });
      });
    });
  });
}

// Splits writing over threads so that no two of them write the same row: duplicate indices then
// keep their order. body(first before, past before, first byte of the run, past byte).
// Where elements share a place one thread writes them, in their order.
template <class Body>
void split_writes(const Tensor& self, const IndexedRows& plan, int64_t item, Body body) {
  const plans::StridedBlock& block = plan.block();
  if (repeats_elements(self)) return body(int64_t{0}, plan.befores(), int64_t{0}, block.run);
  if (plan.befores() > 1 || !block.is_dense()) {
    const int64_t grain = std::max<int64_t>(kGrainBytes / (block.bytes * plan.indices() + 1), 1);
    return parallel_for(0, plan.befores(), grain, [&](int64_t begin, int64_t end) {
      body(begin, end, int64_t{0}, block.run);
    });
  }
  const int64_t elements = block.run / item;
  const int64_t grain = std::max<int64_t>(kGrainBytes / (item * plan.indices() + 1), 64);
  parallel_for(0, elements, grain, [&](int64_t begin, int64_t end) {
    body(int64_t{0}, int64_t{1}, begin * item, end * item);
  });
}

void write(const Tensor& self, const IndexedRows& plan, const Tensor& values) {
  const plans::StridedBlock& block = plan.block();
  if (values.numel() == 0) return;
  auto* to = static_cast<char*>(self.raw_data());
  const auto* from = static_cast<const char*>(values.raw_data());
  const int64_t item = static_cast<int64_t>(self.element_size());
  split_writes(self, plan, item, [&](int64_t first, int64_t past, int64_t begin, int64_t end) {
    with_run(end - begin, [&](auto bytes) {
      plan.for_rows(
          first * plan.indices(), past * plan.indices(), [&](int64_t row, int64_t offset) {
            for_runs(
                block, block.run, to + offset, from + row * block.bytes,
                [=](char* out, const char* in) { std::memcpy(out + begin, in + begin, bytes); });
          });
    });
  });
}

// Of floats in the type of computation: it is not rounded to 16 bits.
template <class T>
using factor_type = std::conditional_t<std::is_integral_v<T>, T, compute_type<T>>;

template <class T>
T multiply_add(T sum, T value, factor_type<T> factor) {
  if constexpr (std::is_same_v<T, bool>) {
    return sum || (value && factor);
  } else {
    using C = compute_type<T>;
    return static_cast<T>(static_cast<C>(sum) + static_cast<C>(value) * static_cast<C>(factor));
  }
}

template <class T>
void add(const Tensor& self, const IndexedRows& plan, const Tensor& values, factor_type<T> factor) {
  const plans::StridedBlock& block = plan.block();
  auto* to = static_cast<char*>(self.raw_data());
  const auto* from = static_cast<const char*>(values.raw_data());
  split_writes(self, plan, sizeof(T), [&](int64_t first, int64_t past, int64_t begin, int64_t end) {
    const bool joins = end - begin == block.bytes;
    const int64_t n = (end - begin) / static_cast<int64_t>(sizeof(T));
    const auto add_block = [=](char* out_bytes, const char* in_bytes, int64_t count) {
      T* out = reinterpret_cast<T*>(out_bytes + begin);
      const T* in = reinterpret_cast<const T*>(in_bytes + begin);
      for (int64_t i = 0; i < count; ++i) out[i] = multiply_add(out[i], in[i], factor);
    };
    plan.for_joined_rows(first * plan.indices(), past * plan.indices(),
                         [&](int64_t row, int64_t offset, int64_t count) {
                           if (joins)
                             return add_block(to + offset, from + row * block.bytes, n * count);
                           for (int64_t i = 0; i < count; ++i) {
                             for_runs(block, block.run, to + offset + i * block.bytes,
                                      from + (row + i) * block.bytes,
                                      [&](char* out, const char* in) { add_block(out, in, n); });
                           }
                         });
  });
}

// Whether two indices name the same place.
bool repeats(const IndexedRows& plan) {
  std::vector<int64_t> places(static_cast<size_t>(plan.indices()));
  plan.offsets(0, plan.indices(), places.data());
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

// What is indexed in a tensor: one dimension or several.
struct Places {
  const IndexShape& shape;
  TensorList indices;
  bool wraps;

  IndexedRows in(const Tensor& self) const { return IndexedRows(self, shape, indices, wraps); }
};

void add(Tensor& self, const Places& places, const Tensor& values, const Scalar& factor) {
  const auto add_to = [&](const Tensor& sums, const IndexedRows& plan) {
    visit_dtype("index_add", sums.dtype(), [&]<class T>(TypeTag<T>) {
      add<T>(sums, plan, Dense(values, sums.dtype()), factor.to<factor_type<T>>());
    });
  };
  const IndexedRows plan = places.in(self);
  if (values.numel() == 0) return;
  if (!is_reduced_float(self.dtype()) || may_overlap(self)) return add_to(self, plan);
  // One term is rounded once in any case: a large tensor is not converted for a few rows.
  const bool few = values.numel() < self.numel() / 8;
  if (few && !repeats(plan)) return add_to(self, plan);
  add_in_full(self, [&](const Tensor& sums) { add_to(sums, places.in(sums)); });
}

// Writes by index say which operator refuses one; `kind` is what such an error is.
template <class F>
void named(std::string_view op, ErrorKind kind, F f) {
  try {
    f();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kIndex) throw;
    OW_THROW(kind, op, "(): ", error.message());
  }
}

}  // namespace

void _index(const Tensor& self, TensorList indices, Tensor& result) {
  read(self, IndexedRows(self, index_shape(self, indices), indices, /*wraps=*/true), result);
}

Tensor& _index_put_(Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  const IndexShape shape = index_shape(self, indices);
  const Places places{shape, indices, /*wraps=*/true};
  if (accumulate) {
    add(self, places, values, Scalar(1));
  } else {
    write(self, places.in(self), Dense(values));
  }
  return self;
}

void index_select(const Tensor& self, int64_t dim, const Tensor& index, Tensor& result) {
  const Tensor source = at_least_1d(self);
  const OneIndex one(source, dim, index);
  read(source, IndexedRows(source, one.shape, one.indices, /*wraps=*/false), result);
}

Tensor& index_add_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha) {
  check_no_internal_overlap(self);
  check_no_partial_overlap(self, source);
  Tensor target = at_least_1d(self);
  const OneIndex one(target, dim, index);
  // As in PyTorch, where such a call is a scatter_add_.
  const bool scatters = self.dim() > 1 && index.dtype() == kLong;
  named("index_add_", scatters ? ErrorKind::kRuntime : ErrorKind::kIndex, [&] {
    add(target, Places{one.shape, one.indices, /*wraps=*/false}, source, alpha);
  });
  return self;
}

Tensor& index_copy_(Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  check_no_internal_overlap(self);
  check_no_partial_overlap(self, source);
  const Tensor target = at_least_1d(self);
  const OneIndex one(target, dim, index);
  named("index_copy_", ErrorKind::kIndex, [&] {
    write(target, IndexedRows(target, one.shape, one.indices, /*wraps=*/false), Dense(source));
  });
  return self;
}

}  // namespace opweave::cpu
