// Copies and fills: straight over dense memory, block by block otherwise.
#include <cstring>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/pointwise/convert.h"
#include "kernels/cpu/pointwise/strided.h"
#include "kernels/cpu/pointwise/tiling.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/pointwise/plan.h"
#include "runtime/rules/broadcast.h"
#include "runtime/rules/number.h"

namespace opweave::cpu {
namespace {

// Dense to dense.
void copy_line(char* to, ScalarType to_type, const char* from, ScalarType from_type, int64_t n) {
  const auto to_item = static_cast<int64_t>(element_size(to_type));
  const auto from_item = static_cast<int64_t>(element_size(from_type));
  parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
    convert(to + begin * to_item, to_type, from + begin * from_item, from_type, end - begin);
  });
}

// Copies blocks between strided memory.
class BlockCopier {
 public:
  BlockCopier(const PointwisePlan& plan, const Tiling& tiling)
      : plan_(plan),
        tiling_(tiling),
        to_type_(plan.operands[0].dtype),
        from_type_(plan.operands[1].dtype) {
    const auto item = static_cast<int64_t>(element_size(to_type_));
    const bool dense_rows = plan.ndim > 0 && plan.operands[0].strides[0] == item;
    stream_ = dense_rows && plan.numel * item >= kStreamBytes;
  }
  ~BlockCopier() {
    if (stream_) stream_fence();
  }

  void copy(const Block& block) {
    const Rectangle<char*> to = rectangle<char*>(plan_.operands[0], block);
    const auto from = rectangle<const char*>(plan_.operands[1], block);
    const bool same_type = to_type_ == from_type_;
    if (same_type && !stream_) return copy_items(to, from, block, to_type_);
    // Through a dense block: to convert it, or because the target's lines are to be written whole.
    copy_items(dense(gathered_, from_type_, block), from, block, from_type_);
    char* result = gathered_;
    if (!same_type) {
      convert(converted_, to_type_, gathered_, from_type_, block.rows * block.columns);
      result = converted_;
    }
    write(to, dense(result, to_type_, block), block);
  }

 private:
  template <class Pointer>
  Rectangle<Pointer> rectangle(const PointwiseOperand& operand, const Block& block) const {
    return {operand.data + offset_of(plan_, tiling_, operand, block),
            tiling_.row_dim > 0 ? operand.strides[tiling_.row_dim] : 0,
            plan_.ndim > 0 ? operand.strides[0] : 0};
  }
  static Rectangle<char*> dense(char* data, ScalarType dtype, const Block& block) {
    const auto item = static_cast<int64_t>(element_size(dtype));
    return {data, block.columns * item, item};
  }
  template <class Pointer>
  static void copy_items(Rectangle<char*> to, Rectangle<Pointer> from, const Block& block,
                         ScalarType dtype) {
    copy_rectangle(to, {from.data, from.row_stride, from.column_stride}, block.rows, block.columns,
                   element_size(dtype));
  }
  void write(Rectangle<char*> to, Rectangle<char*> from, const Block& block) const {
    if (!stream_) return copy_items(to, from, block, to_type_);
    for (int64_t r = 0; r < block.rows; ++r) {
      stream_bytes(to.data + r * to.row_stride, from.data + r * from.row_stride, from.row_stride);
    }
  }

  const PointwisePlan& plan_;
  const Tiling& tiling_;
  const ScalarType to_type_, from_type_;
  bool stream_;
  alignas(64) char gathered_[kBlock * kLargestElement];
  alignas(64) char converted_[kBlock * kLargestElement];
};

void copy_blocks(const PointwisePlan& plan) {
  const Tiling tiling = tile(plan);
  const int64_t grain = std::max<int64_t>(kGrainSize / (tiling.rows * tiling.columns), 1);
  parallel_for(0, tiling.count(), grain, [&](int64_t begin, int64_t end) {
    BlockCopier copier(plan, tiling);
    for (int64_t i = begin; i < end; ++i) {
      if (tiling.transposed && i + 1 < end) prefetch(plan, tiling, block_at(tiling, i + 1));
      copier.copy(block_at(tiling, i));
    }
  });
}

bool is_line(const PointwisePlan& plan) {
  if (plan.ndim > 1) return false;
  for (int k = 0; k < 2; ++k) {
    const PointwiseOperand& operand = plan.operands[k];
    const auto item = static_cast<int64_t>(element_size(operand.dtype));
    if (plan.ndim == 1 && operand.strides[0] != item) return false;
  }
  return true;
}

template <class T>
void fill_typed(void* to, const void* element, int64_t n) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  auto* const out = static_cast<T*>(to);
  const bool stream = n * static_cast<int64_t>(sizeof(T)) >= kStreamBytes;
  parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
    if (!stream) return std::fill(out + begin, out + end, value);
    T block[kBlock];
    std::fill_n(block, kBlock, value);
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t count = std::min(kBlock, end - i);
      stream_bytes(out + i, block, count * static_cast<int64_t>(sizeof(T)));
    }
    stream_fence();
  });
}

// The number as one element in memory.
void write_element(const Scalar& value, ScalarType dtype, void* to) {
  if (value.is_complex()) {
    const auto number = value.to<ComplexFloat>();
    return convert(to, dtype, &number, kComplexFloat, 1);
  }
  const ScalarType from = value.type();
  const int64_t integer = value.to_long();
  const double number = value.to_double();
  const bool truth = value.to_bool();
  const void* const source = from == kDouble ? static_cast<const void*>(&number)
                             : from == kBool ? static_cast<const void*>(&truth)
                                             : static_cast<const void*>(&integer);
  convert(to, dtype, source, from, 1);
}

void fill_dense(void* to, const void* element, size_t item, int64_t n) {
  switch (item) {
    case 1:
      return fill_typed<uint8_t>(to, element, n);
    case 2:
      return fill_typed<uint16_t>(to, element, n);
    case 4:
      return fill_typed<uint32_t>(to, element, n);
    default:
      return fill_typed<uint64_t>(to, element, n);
  }
}

}  // namespace

void copy_elements(Tensor& to, const Tensor& from) {
  if (to.is_same(from)) return;
  const bool dense = to.is_contiguous() && from.is_contiguous() &&
                     same_sizes(to.sizes(), from.sizes()) && to.storage() != from.storage();
  if (dense) {
    return copy_line(static_cast<char*>(to.raw_data()), to.dtype(),
                     static_cast<const char*>(from.raw_data()), from.dtype(), to.numel());
  }
  PointwisePlan plan;
  plan_copy(to, from, plan);
  if (plan.numel == 0) return;
  if (!is_line(plan)) return copy_blocks(plan);
  copy_line(plan.operands[0].data, to.dtype(), plan.operands[1].data, from.dtype(), plan.numel);
}

Tensor converted(const Tensor& t, ScalarType dtype) {
  if (t.dtype() == dtype) return t;
  Tensor copy = make_tensor_strided(t.sizes(), dense_strides_like(t), dtype, t.device());
  copy_elements(copy, t);
  return copy;
}

Tensor laid_out(const Tensor& t, MemoryFormat format) {
  if (t.is_contiguous(format)) return t;
  Tensor copy =
      make_tensor_strided(t.sizes(), strides_for(t.sizes(), format), t.dtype(), t.device());
  copy_elements(copy, t);
  return copy;
}

// A number beyond floats of fewer than 32 bits is infinite where one element gets it, as where a
// tensor is copied.
void fill_elements(Tensor& to, const Scalar& value) {
  if (to.numel() != 1 || !is_reduced_float(to.dtype())) check_fits(value, to.dtype());
  if (to.numel() == 0) return;
  if (to.impl()->is_non_overlapping_and_dense()) {
    alignas(kLargestElement) char element[kLargestElement];
    write_element(value, to.dtype(), element);
    return fill_dense(to.raw_data(), element, to.element_size(), to.numel());
  }
  DimVector once(to.sizes());  // what is repeated is written once
  for (size_t d = 0; d < once.size(); ++d) {
    if (to.strides()[d] == 0) once[d] = 1;
  }
  Tensor distinct = make_alias(to, once, to.strides(), to.storage_offset());
  Tensor source = make_tensor({}, to.dtype(), kCPU);
  write_element(value, to.dtype(), source.raw_data());
  PointwisePlan plan;
  plan_copy(distinct, source, plan);
  copy_blocks(plan);
}

}  // namespace opweave::cpu
