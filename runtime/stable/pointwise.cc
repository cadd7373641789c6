// Operators of elements that a library describes by a table.
#include "runtime/stable/pointwise.h"

#include <array>
#include <type_traits>

#include "kernels/cpu/pointwise/run.h"
#include "kernels/meta/pointwise.h"
#include "runtime/dispatch/registry.h"
#include "runtime/stable/tables.h"

namespace opweave::stable {
namespace {

static_assert(static_cast<int>(NumberUse::kElement) == OW_NUMBER_ELEMENT &&
              static_cast<int>(NumberUse::kOneElement) == OW_NUMBER_ONE_ELEMENT);

// Loops of libraries read our numbers as they are: the type, then the value.
static_assert(std::is_standard_layout_v<Scalar> && sizeof(Scalar) == sizeof(OwNumber));
static_assert(std::is_same_v<std::underlying_type_t<ScalarType>, int8_t>);

template <class T>
T checked(uint32_t code, T last, const OperatorEntry& op, const char* what) {
  OW_CHECK(code <= static_cast<uint32_t>(last), "'", op.full_name(), "': there is no ", what, " ",
           code);
  return static_cast<T>(code);
}

void check_count(const OperatorEntry& op, const char* what, size_t in_schema, size_t in_table,
                 size_t most) {
  OW_CHECK(in_schema == in_table, "'", op.full_name(), "' has ", in_table, " ", what,
           " in its table, its schema ", in_schema, ": ", op.def().schema);
  OW_CHECK(in_schema <= most, "'", op.full_name(), "' has ", in_schema, " ", what, ", of which ",
           most, " are possible");
}

}  // namespace

uint32_t best_isa() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return OW_ISA_AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return OW_ISA_AVX2;
  return __builtin_cpu_supports("sse4.2") ? OW_ISA_SSE4 : OW_ISA_ANY;
}

Pointwise::Pointwise(const OperatorEntry& op, const OwPointwise& given) {
  const OwPointwise table = read(given);
  const std::string_view name = op.def().name;
  spec_.name = plain_name(name);  // in errors, as Python calls it
  spec_.promotion = checked(table.promotion, PointwisePromotion::kSame, op, "kind of promotion");
  spec_.result = checked(table.result, OperandKind::kBool, op, "kind of result");
  spec_.contiguous = table.contiguous != 0;
  spec_.casts_out = table.casts_out != 0;
  spec_.expanded = table.expanded != 0;
  spec_.rounded_inputs = table.rounded_inputs;
  spec_.rounded_params = table.rounded_numbers;
  spec_.dtypes = static_cast<DtypeMask>(table.dtypes);
  read_arguments(op);
  read_inputs(op, table);
  read_numbers(op, table);
  read_loops(table);
}

// What is written beside the inputs is `out`; in place it is the first of them.
void Pointwise::read_arguments(const OperatorEntry& op) {
  const OperatorRecord& record = op.record();
  written_ = record.written();
  resizes_ = written_ >= 0 && record.arguments[static_cast<size_t>(written_)].keyword_only;
  for (size_t i = 0; i < record.arguments.size(); ++i) {
    if (resizes_ && static_cast<int>(i) == written_) continue;
    (record.arguments[i].type.is_tensor() ? inputs_ : numbers_).push_back(i);
  }
}

void Pointwise::read_inputs(const OperatorEntry& op, const OwPointwise& table) {
  const auto inputs = list(table.inputs, table.num_inputs);
  check_count(op, "tensors", inputs_.size(), inputs.size(), kMaxPointwiseInputs);
  spec_.num_inputs = static_cast<uint8_t>(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    spec_.inputs[i] = checked(inputs[i].kind, OperandKind::kBool, op, "kind of operand");
    spec_.input_dtypes[i] = static_cast<DtypeMask>(inputs[i].dtypes);
    spec_.input_names[i] = op.record().arguments[inputs_[i]].name;
  }
}

void Pointwise::read_numbers(const OperatorEntry& op, const OwPointwise& table) {
  const auto numbers = list(table.numbers, table.num_numbers);
  check_count(op, "numbers", numbers_.size(), numbers.size(), kMaxPointwiseParams);
  spec_.num_params = static_cast<uint8_t>(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string_view name = op.record().arguments[numbers_[i]].name;
    spec_.promoting_params[i] = numbers[i].promotes != 0;
    spec_.checked_params[i] = numbers[i].suits_type != 0 ? name : std::string_view();
    spec_.number_uses[i] = checked(numbers[i].use, NumberUse::kOneElement, op, "use of a number");
    spec_.refused_params[i] = static_cast<DtypeMask>(numbers[i].refused_dtypes);
    spec_.param_names[i] = name;
  }
}

// Of several for one type the best that the processor has; types of a later release are none of
// ours.
void Pointwise::read_loops(const OwPointwise& table) {
  std::array<int64_t, kNumScalarTypes> taken;
  taken.fill(-1);
  for (const OwLoop& loop : list(table.loops, table.num_loops)) {
    if (loop.dtype < 0 || loop.dtype >= kNumScalarTypes || loop.isa > best_isa()) continue;
    if (taken[static_cast<size_t>(loop.dtype)] >= static_cast<int64_t>(loop.isa)) continue;
    taken[static_cast<size_t>(loop.dtype)] = loop.isa;
    loops_.by_type[loop.dtype] = reinterpret_cast<cpu::PointwiseLoop>(loop.run);
  }
}

template <class Run, class RunInto>
void Pointwise::run(Stack& stack, Run run, RunInto run_into) const {
  const Tensor* inputs[kMaxPointwiseInputs];
  Scalar numbers[kMaxPointwiseParams];
  for (size_t i = 0; i < inputs_.size(); ++i)
    inputs[i] = &std::as_const(stack[inputs_[i]]).to_tensor();
  for (size_t i = 0; i < numbers_.size(); ++i) numbers[i] = stack[numbers_[i]].to_scalar();
  const TensorRefs refs(inputs, inputs_.size());
  const std::span<const Scalar> params(numbers, numbers_.size());
  Tensor result;
  if (written_ < 0) {
    result = run(spec_, refs, params);
  } else {
    result = stack[static_cast<size_t>(written_)].to_tensor();
    run_into(spec_, result, resizes_, refs, params);
  }
  stack.clear();
  stack.emplace_back(std::move(result));
}

void Pointwise::run_on_cpu(Stack& stack) const {
  run(
      stack,
      [&](const PointwiseSpec& spec, TensorRefs inputs, std::span<const Scalar> params) {
        return cpu::run_pointwise(spec, loops_, inputs, params);
      },
      [&](const PointwiseSpec& spec, Tensor& out, bool resize, TensorRefs inputs,
          std::span<const Scalar> params) {
        cpu::run_pointwise_into(spec, loops_, out, resize, inputs, params);
      });
}

void Pointwise::run_on_meta(Stack& stack) const {
  run(stack, &meta::run_pointwise, &meta::run_pointwise_into);
}

}  // namespace opweave::stable
