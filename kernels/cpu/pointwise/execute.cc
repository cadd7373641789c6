// The blocks of a plan, and what happens to each.
#include "kernels/cpu/pointwise/execute.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/pointwise/convert.h"
#include "kernels/cpu/pointwise/strided.h"
#include "kernels/cpu/pointwise/tiling.h"
#include "runtime/pointwise/types.h"

namespace opweave::cpu {
namespace {

constexpr int64_t kLongRow = 256;  // rows of this many elements are run one by one
constexpr int kMaxOperands = kMaxPointwiseInputs + 1;

// The type in which the loop reads or writes an operand.
ScalarType loop_type(OperandKind kind, ScalarType common) {
  return kind == OperandKind::kBool ? kBool : compute_dtype(common);
}

OperandKind operand_kind(const PointwiseSpec& spec, int k) {
  return k == 0 ? spec.result : spec.inputs[k - 1];
}

// Inputs that were not given read as zero.
alignas(kLargestElement) constexpr char kZero[kLargestElement] = {};

// A call whose operands have to be prepared block by block.
struct BlockCall {
  const PointwiseSpec& spec;
  const PointwiseLoop loop;
  const PointwisePlan& plan;
  const Tiling& tiling;
  const Scalar* params;
  const bool stream;  // past the cache
};

// One thread's walk over its share of the blocks.
class BlockRunner {
 public:
  explicit BlockRunner(const BlockCall& call)
      : spec_(call.spec),
        loop_(call.loop),
        plan_(call.plan),
        tiling_(call.tiling),
        params_(call.params),
        stream_(call.stream) {
    for (int k = 0; k < call.plan.num_operands; ++k) prepare(k);
  }

  void run(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (tiling_.transposed && i + 1 < end) prefetch(plan_, tiling_, block_at(tiling_, i + 1));
      run_block(block_at(tiling_, i));
    }
    if (stream_) stream_fence();
  }

 private:
  struct Operand {
    char* data;
    ScalarType memory_type, loop_type;
    int64_t item;  // bytes of an element in memory
    int64_t row_stride, column_stride;
    bool constant;  // one element for all: its buffer is filled once
    bool rounded;   // to the common type, in which the loop does not read it
    // What its buffer holds: rows that are all the same need not be packed again.
    const char* packed_from = nullptr;
    int64_t packed_rows = 0, packed_columns = 0;
  };
  // What the loop gets of an operand in a block.
  struct View {
    char* data;
    int64_t pitch;  // bytes between rows
  };

  char* buffer(int k) { return buffers_[k]; }
  void prepare(int k);
  void run_block(const Block& block);
  View view_of(int k, char* data, int64_t rows, int64_t columns);
  void pack(const Operand& operand, const char* from, char* to, int64_t rows, int64_t columns);
  void convert_input(const Operand& operand, const char* from, char* to, int64_t n);
  void unpack(const Operand& result, char* to, int64_t rows, int64_t columns);
  void run_rows(const View* views, int64_t rows, int64_t columns);

  const PointwiseSpec& spec_;
  const PointwiseLoop loop_;
  const PointwisePlan& plan_;
  const Tiling& tiling_;
  const Scalar* params_;
  const bool stream_;
  Operand operands_[kMaxOperands];
  alignas(64) char buffers_[kMaxOperands][kBlock * kLargestElement];
  alignas(64) char staging_[kBlock * kLargestElement];
};

void BlockRunner::prepare(int k) {
  const PointwiseOperand& from = plan_.operands[k];
  Operand& to = operands_[k];
  to.data = from.data != nullptr ? from.data : const_cast<char*>(kZero);
  to.memory_type = from.dtype;
  to.loop_type = loop_type(operand_kind(spec_, k), plan_.common);
  to.item = static_cast<int64_t>(element_size(from.dtype));
  to.column_stride = plan_.ndim > 0 ? from.strides[0] : 0;
  to.row_stride = tiling_.row_dim > 0 ? from.strides[tiling_.row_dim] : 0;
  to.constant = k > 0;
  for (int d = 0; d < plan_.ndim; ++d) to.constant &= from.strides[d] == 0;
  const bool casts = k > 0 && to.loop_type != kBool && to.memory_type != plan_.common &&
                     to.loop_type != plan_.common;
  to.rounded = casts && (!to.constant || (spec_.rounded_inputs >> (k - 1) & 1) != 0);
  if (to.constant)
    pack(to, to.data, buffer(k), 1, std::min(kBlock, tiling_.rows * tiling_.columns));
}

// A tensor of another type is cast to that of 16 bits first, in which it has fewer digits.
void BlockRunner::convert_input(const Operand& operand, const char* from, char* to, int64_t n) {
  if (!operand.rounded) return convert(to, operand.loop_type, from, operand.memory_type, n);
  alignas(64) char narrow[kBlock * 2];
  convert(narrow, plan_.common, from, operand.memory_type, n);
  convert(to, operand.loop_type, narrow, plan_.common, n);
}

// Elements of an input in the loop's type, dense.
void BlockRunner::pack(const Operand& operand, const char* from, char* to, int64_t rows,
                       int64_t columns) {
  const bool same_type = operand.memory_type == operand.loop_type && !operand.rounded;
  const bool dense = operand.column_stride == operand.item &&
                     (rows == 1 || operand.row_stride == columns * operand.item);
  if (!dense) {
    char* const gathered = same_type ? to : staging_;
    copy_rectangle({gathered, columns * operand.item, operand.item},
                   {from, operand.row_stride, operand.column_stride}, rows, columns,
                   static_cast<size_t>(operand.item));
    from = gathered;
    if (same_type) return;
  }
  convert_input(operand, from, to, rows * columns);
}

// The loop's result from its buffer to memory.
void BlockRunner::unpack(const Operand& result, char* to, int64_t rows, int64_t columns) {
  const char* from = buffer(0);
  const int64_t n = rows * columns;
  const bool dense = result.column_stride == result.item &&
                     (rows == 1 || result.row_stride == columns * result.item);
  if (result.memory_type != result.loop_type) {
    const bool directly = dense && !stream_;
    char* const converted = directly ? to : staging_;
    convert(converted, result.memory_type, from, result.loop_type, n);
    if (directly) return;
    from = converted;
  }
  if (stream_ && dense) return stream_bytes(to, from, n * result.item);
  if (stream_ && result.column_stride == result.item) {
    for (int64_t r = 0; r < rows; ++r) {
      stream_bytes(to + r * result.row_stride, from + r * columns * result.item,
                   columns * result.item);
    }
    return;
  }
  copy_rectangle({to, result.row_stride, result.column_stride},
                 {from, columns * result.item, result.item}, rows, columns,
                 static_cast<size_t>(result.item));
}

BlockRunner::View BlockRunner::view_of(int k, char* data, int64_t rows, int64_t columns) {
  Operand& operand = operands_[k];
  const int64_t dense_pitch = columns * static_cast<int64_t>(element_size(operand.loop_type));
  if (operand.constant) return {buffer(k), dense_pitch};
  const bool readable = operand.memory_type == operand.loop_type && !operand.rounded &&
                        operand.column_stride == operand.item;
  const bool worthwhile = rows == 1 || columns >= kLongRow || operand.row_stride == dense_pitch;
  if (readable && worthwhile && !(k == 0 && stream_)) {
    return {data, rows == 1 ? dense_pitch : operand.row_stride};
  }
  if (k == 0) return {buffer(0), dense_pitch};
  const bool packed = operand.row_stride == 0 && operand.packed_from == data &&
                      operand.packed_rows >= rows && operand.packed_columns == columns;
  if (!packed) {
    pack(operand, data, buffer(k), rows, columns);
    operand.packed_from = data;
    operand.packed_rows = rows;
    operand.packed_columns = columns;
  }
  return {buffer(k), dense_pitch};
}

// One call if all rows follow one another in all views, else one per row.
void BlockRunner::run_rows(const View* views, int64_t rows, int64_t columns) {
  bool dense = true;
  const void* inputs[kMaxOperands];
  for (int k = 0; k < plan_.num_operands; ++k) {
    const auto item = static_cast<int64_t>(element_size(operands_[k].loop_type));
    dense &= views[k].pitch == columns * item;
    if (k > 0) inputs[k - 1] = views[k].data;
  }
  if (dense) return loop_(views[0].data, inputs, params_, rows * columns);
  for (int64_t r = 0; r < rows; ++r) {
    for (int k = 1; k < plan_.num_operands; ++k) inputs[k - 1] = views[k].data + r * views[k].pitch;
    loop_(views[0].data + r * views[0].pitch, inputs, params_, columns);
  }
}

void BlockRunner::run_block(const Block& block) {
  View views[kMaxOperands];
  char* out = nullptr;
  for (int k = 0; k < plan_.num_operands; ++k) {
    char* const data = operands_[k].data + offset_of(plan_, tiling_, plan_.operands[k], block);
    if (k == 0) out = data;
    views[k] = view_of(k, data, block.rows, block.columns);
  }
  run_rows(views, block.rows, block.columns);
  if (views[0].data == buffer(0)) unpack(operands_[0], out, block.rows, block.columns);
}

// Whether the result is so large that it should bypass the cache, and is nobody's input, whose
// lines are in the cache already.
bool should_stream(const void* out, const void* const* inputs, int num_inputs, int64_t nbytes) {
  if (nbytes < kStreamBytes) return false;
  return std::find(inputs, inputs + num_inputs, out) == inputs + num_inputs;
}

}  // namespace

void run_line(const PointwiseSpec& spec, PointwiseLoop loop, ScalarType common, void* out,
              const void* const* inputs, const Scalar* params, int64_t n) {
  const auto item = static_cast<int64_t>(element_size(loop_type(spec.result, common)));
  const bool stream = should_stream(out, inputs, spec.num_inputs, n * item);
  parallel_for(0, n, kGrainSize, [&](int64_t begin, int64_t end) {
    const void* data[kMaxPointwiseInputs];
    auto advance = [&](int64_t i) {
      for (int k = 0; k < spec.num_inputs; ++k) {
        const size_t size = element_size(loop_type(spec.inputs[k], common));
        data[k] = static_cast<const char*>(inputs[k]) + i * static_cast<int64_t>(size);
      }
      return static_cast<char*>(out) + i * item;
    };
    if (!stream) return loop(advance(begin), data, params, end - begin);
    alignas(64) char buffer[kBlock * 8];
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t count = std::min(kBlock, end - i);
      char* const to = advance(i);
      loop(buffer, data, params, count);
      const char* next[kMaxPointwiseInputs];
      const int num_next = i + count < end ? spec.num_inputs : 0;
      for (int k = 0; k < num_next; ++k) {
        const size_t size = element_size(loop_type(spec.inputs[k], common));
        next[k] = static_cast<const char*>(data[k]) + count * static_cast<int64_t>(size);
      }
      stream_bytes(to, buffer, count * item, {next, static_cast<size_t>(num_next)});
    }
    stream_fence();
  });
}

namespace {

// The parameters as a common type of 16 bits has them.
class RoundedParams {
 public:
  RoundedParams(const PointwiseSpec& spec, ScalarType common, std::span<const Scalar> params) {
    if (spec.rounded_params == 0 || !contains(dtypes::kComputedWider, common)) {
      data_ = params.data();
      return;
    }
    for (size_t i = 0; i < params.size(); ++i) {
      const bool rounds = (spec.rounded_params >> i & 1) != 0;
      rounded_[i] = rounds ? in_dtype(params[i], common) : params[i];
    }
    data_ = rounded_.data();
  }
  const Scalar* data() const { return data_; }

 private:
  static Scalar in_dtype(const Scalar& number, ScalarType dtype) {
    const double value = number.to_double();
    alignas(kLargestElement) char narrow[kLargestElement];
    double found = 0;
    convert(narrow, dtype, &value, kDouble, 1);
    convert(&found, kDouble, narrow, dtype, 1);
    return Scalar(found);
  }

  std::array<Scalar, kMaxPointwiseParams> rounded_;
  const Scalar* data_;
};

}  // namespace

void execute(const PointwiseSpec& spec, const PointwiseLoops& loops, const PointwisePlan& plan,
             std::span<const Scalar> params) {
  if (plan.numel == 0) return;
  const PointwiseLoop loop = loops.of(plan.common);
  if (loop == nullptr) [[unlikely]]
    fail_type(spec, plan.common);
  if (plan.trivial && !contains(dtypes::kComputedWider, plan.common)) {
    const void* inputs[kMaxOperands];
    for (int k = 1; k < plan.num_operands; ++k) inputs[k - 1] = plan.operands[k].data;
    return run_line(spec, loop, plan.common, plan.operands[0].data, inputs, params.data(),
                    plan.numel);
  }
  const Tiling tiling = tile(plan);
  const void* inputs[kMaxOperands];
  for (int k = 1; k < plan.num_operands; ++k) inputs[k - 1] = plan.operands[k].data;
  const auto item = static_cast<int64_t>(element_size(plan.operands[0].dtype));
  const bool stream =
      should_stream(plan.operands[0].data, inputs, plan.num_operands - 1, plan.numel * item);
  const int64_t per_block = tiling.rows * tiling.columns;
  const RoundedParams rounded(spec, plan.common, params);
  const BlockCall call{spec, loop, plan, tiling, rounded.data(), stream};
  parallel_for(0, tiling.count(), std::max<int64_t>(kGrainSize / per_block, 1),
               [&](int64_t begin, int64_t end) { BlockRunner(call).run(begin, end); });
}

}  // namespace opweave::cpu
