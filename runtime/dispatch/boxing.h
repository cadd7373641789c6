// Between typed calls and the stack: unbox<T> reads an argument, boxed_call<Signature> calls a
// typed kernel with arguments from the stack, run_boxed<R> does the reverse. Instantiated once a
// signature, not once an operator.
#pragma once

#include <tuple>
#include <utility>

#include "runtime/dispatch/operator.h"

namespace opweave {

// Reads an argument of C++ type T. Views (lists, strings) point into the stack.
template <class T>
struct Unbox;

template <>
struct Unbox<const Tensor&> {
  static const Tensor& get(IValue& v) { return v.to_tensor(); }
};
template <>
struct Unbox<Tensor&> {
  static Tensor& get(IValue& v) { return v.to_tensor(); }
};
template <>
struct Unbox<TensorList> {
  static TensorList get(IValue& v) { return v.to_tensor_list(); }
};
template <>
struct Unbox<const Scalar&> {
  static Scalar get(IValue& v) { return v.to_scalar(); }
};
template <>
struct Unbox<bool> {
  static bool get(IValue& v) { return v.to_bool(); }
};
template <>
struct Unbox<int64_t> {
  static int64_t get(IValue& v) { return v.to_int(); }
};
template <>
struct Unbox<double> {
  static double get(IValue& v) { return v.to_double(); }
};
template <>
struct Unbox<std::string_view> {
  static std::string_view get(IValue& v) { return v.to_string(); }
};
template <>
struct Unbox<IntList> {
  static IntList get(IValue& v) { return v.to_int_list(); }
};
template <>
struct Unbox<DoubleList> {
  static DoubleList get(IValue& v) { return v.to_double_list(); }
};
template <>
struct Unbox<ScalarType> {
  static ScalarType get(IValue& v) { return v.to_scalar_type(); }
};
template <>
struct Unbox<Layout> {
  static Layout get(IValue& v) { return v.to_layout(); }
};
template <>
struct Unbox<Device> {
  static Device get(IValue& v) { return v.to_device(); }
};
template <>
struct Unbox<MemoryFormat> {
  static MemoryFormat get(IValue& v) { return v.to_memory_format(); }
};
template <>
struct Unbox<Generator> {
  static Generator get(IValue& v) { return v.to_generator(); }
};
template <size_t N>
struct Unbox<std::array<bool, N>> {
  static std::array<bool, N> get(IValue& v) { return v.to_bool_array<N>(); }
};
template <class T>
struct Unbox<std::optional<T>> {
  static std::optional<T> get(IValue& v) {
    if (v.is_none()) return std::nullopt;
    return Unbox<T>::get(v);
  }
};
template <>
struct Unbox<Scalar> : Unbox<const Scalar&> {};
template <class T>
struct Unbox<const std::optional<T>&> : Unbox<std::optional<T>> {};

namespace detail {

// Results are copied to the stack before the arguments leave it: an in-place kernel returns one.
template <class R>
void push_result(Stack& stack, R&& result) {
  IValue value(std::forward<R>(result));
  stack.clear();
  stack.push_back(std::move(value));
}
template <class... R>
void push_result(Stack& stack, std::tuple<R...>&& results) {
  Stack values;
  std::apply([&](auto&&... r) { (values.emplace_back(std::forward<decltype(r)>(r)), ...); },
             std::move(results));
  stack = std::move(values);
}

template <class R, class... Args, size_t... I>
void call_with_stack(R (*kernel)(Args...), Stack& stack, std::index_sequence<I...>) {
  if constexpr (std::is_void_v<R>) {
    kernel(Unbox<Args>::get(stack[I])...);
    stack.clear();
  } else {
    push_result(stack, kernel(Unbox<Args>::get(stack[I])...));
  }
}

template <class Signature>
struct BoxedCall;
template <class R, class... Args>
struct BoxedCall<R(Args...)> {
  static void call(AnyKernel kernel, Stack& stack) {
    OW_INTERNAL_ASSERT(stack.size() == sizeof...(Args), "wrong number of boxed arguments");
    call_with_stack(reinterpret_cast<R (*)(Args...)>(kernel), stack,
                    std::index_sequence_for<Args...>());
  }
};

// What a boxed kernel left on the stack, as the typed result. A reference result is the argument
// that was written, which the typed caller still holds.
template <class R>
struct PopResult {
  static R get(Stack& stack) {
    OW_CHECK(stack.size() == 1, "a boxed kernel left ", stack.size(), " results instead of 1");
    if constexpr (std::same_as<R, Tensor>) {
      return std::move(stack[0].to_tensor());
    } else if constexpr (std::same_as<R, std::vector<Tensor>>) {
      return stack[0].to_tensor_list();
    } else {
      return Unbox<R>::get(stack[0]);
    }
  }
};
template <class... R>
struct PopResult<std::tuple<R...>> {
  static std::tuple<R...> get(Stack& stack) {
    OW_CHECK(stack.size() == sizeof...(R), "a boxed kernel left ", stack.size(),
             " results instead of ", sizeof...(R));
    return get(stack, std::index_sequence_for<R...>());
  }
  template <size_t... I>
  static std::tuple<R...> get(Stack& stack, std::index_sequence<I...>) {
    return {Unbox<std::conditional_t<std::same_as<R, Tensor>, const Tensor&, R>>::get(stack[I])...};
  }
};

}  // namespace detail

template <class Signature>
void boxed_call(AnyKernel kernel, Stack& stack) {
  detail::BoxedCall<Signature>::call(kernel, stack);
}

// Runs the boxed kernel of `op` for a typed call. For operators that return a written argument, R
// is void: the caller returns its own argument.
template <class R, class... Args>
R run_boxed(const OperatorEntry& op, DispatchKeySet keys, const Args&... args) {
  Stack stack;
  stack.reserve(sizeof...(Args));
  (stack.emplace_back(args), ...);
  op.run_boxed(keys, stack);
  if constexpr (!std::is_void_v<R>) return detail::PopResult<R>::get(stack);
}

// The dispatch keys of list and device arguments.
inline DispatchKeySet keys_of(TensorList list) {
  DispatchKeySet keys;
  for (const Tensor& t : list) keys = keys | t.key_set();
  return keys;
}
inline DispatchKeySet keys_of(const std::optional<Device>& device) {
  const DispatchKeySet keys = backend_key(device.value_or(default_device()).type);
  return inference_mode_enabled() ? keys : keys | DispatchKey::kADInplaceOrView;
}

}  // namespace opweave
