// The operators that autograd was given, and small things made of them.
#include "runtime/autograd/engine_ops.h"

#include "runtime/core/threads/thread_state.h"

namespace opweave {

constinit EngineOperators detail::engine_operators{};

void set_engine_operators(const EngineOperators& operators) {
  detail::engine_operators = operators;
}

namespace {

// How many elements of memory a geometry spans.
int64_t span_of(IntList sizes, IntList strides) {
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    last += (sizes[d] - 1) * strides[d];
  }
  return last + 1;
}

}  // namespace

namespace engine_ops {

Tensor memory_for(const Tensor& contents, IntList sizes, IntList strides, ScalarType dtype,
                  Device device) {
  if (contents.impl()->extension() == nullptr) [[likely]]
    return make_tensor_strided(sizes, strides, dtype, device);
  const int64_t span = span_of(sizes, strides);
  return detail::engine_operators.new_empty(contents, {span}, dtype, device);
}

Tensor laid_out(const Tensor& memory, IntList sizes, IntList strides) {
  if (memory.impl()->extension() == nullptr) [[likely]]
    return memory;
  return as_strided(memory, sizes, strides, 0);
}

Tensor buffer_for(const Tensor& contents, IntList sizes, IntList strides, ScalarType dtype,
                  Device device) {
  return laid_out(memory_for(contents, sizes, strides, dtype, device), sizes, strides);
}

Tensor full(IntList sizes, const Scalar& value, ScalarType dtype, Device device) {
  Tensor t = make_tensor(sizes, dtype, device);
  fill_(t, value);
  return t;
}

bool is_plain(const Tensor& t) {
  constexpr DispatchKeySet kBelow =
      keys_from(DispatchKey::kFirstFunctionality) & keys_below(DispatchKey::kADInplaceOrView);
  return !t.impl()->key_set().has_any(kBelow);
}

Tensor alias_of(const Tensor& t) {
  if (t.impl()->extension() != nullptr) [[unlikely]] {  // what it stands for has the elements
    const NoGradGuard unrecorded;
    return detail::engine_operators.detach(t);
  }
  if (is_plain(t)) [[likely]]
    return make_alias(t, t.sizes(), t.strides(), t.storage_offset());
  const ExcludeDispatchKeys recording(keys_from(DispatchKey::kADInplaceOrView) - observer_keys());
  return detail::engine_operators.detach(t);
}

Tensor ones_like(const Tensor& like) {
  if (!is_plain(like)) [[unlikely]]
    return detail::engine_operators.ones_like(like);
  return full(like.sizes(), 1, like.dtype(), like.device());
}

Tensor zeros_like(const Tensor& like) {
  if (!is_plain(like)) [[unlikely]]
    return detail::engine_operators.zeros_like(like);
  return full(like.sizes(), 0, like.dtype(), like.device());
}

bool has_nan(const Tensor& gradient) {
  const EngineOperators& ops = detail::engine_operators;
  return ops.item(ops.any(ops.isnan(gradient))).to_bool();
}

}  // namespace engine_ops
}  // namespace opweave
