// Between typed calls and the stack: unbox<T> reads an argument, boxed_call<Signature> calls a
// typed kernel with arguments from the stack, run_boxed<Signature> does the reverse. Instantiated
// once a signature, not once an operator.
#pragma once

#include <tuple>
#include <utility>

#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/observer.h"
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
template <ObjectType T>
struct Unbox<T> {
  static T get(IValue& v) { return v.to_object<T>(); }
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
  static R get(const OperatorEntry& op, Stack& stack) {
    check_results(op, stack, 1);
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
  static std::tuple<R...> get(const OperatorEntry& op, Stack& stack) {
    check_results(op, stack, sizeof...(R));
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

namespace detail {

// For a typed call that has no typed kernel to go to: one that is boxed, or observers.
template <class Signature>
struct RunBoxed;
template <class R, class... Args>
struct RunBoxed<R(Args...)> {
  // A reference is a written argument, which the typed caller still holds.
  using Result = std::conditional_t<std::is_reference_v<R>, void, R>;

  static Result run(const OperatorEntry& op, DispatchKeySet tensor_keys, Args... args) {
    const DispatchKeySet keys = op.resolve(tensor_keys);
    if (observer_keys().has_any(keys)) [[unlikely]]
      return run_observed(op, keys, args...);
    Stack stack = pack(args...);
    op.run_boxed(keys, stack);
    if constexpr (!std::is_void_v<Result>) return PopResult<R>::get(op, stack);
  }

 private:
  template <class... T>
  static Stack pack(const T&... values) {
    Stack stack;
    stack.reserve(sizeof...(T));
    (stack.emplace_back(values), ...);
    return stack;
  }
  template <class... T>
  static Stack pack_results(const std::tuple<T...>& results) {
    return std::apply([](const auto&... r) { return pack(r...); }, results);
  }
  template <class T>
  static Stack pack_results(const T& result) {
    return pack(result);
  }

  static Result run_observed_boxed(const OperatorEntry& op, ObservedCall& call, Args... args) {
    Stack stack = pack(args...);
    op.call_resolved(call.keys(), stack);
    if (call.wants_values()) call.set_results(stack);
    call.succeeded();
    if constexpr (!std::is_void_v<Result>) return PopResult<R>::get(op, stack);
  }

  static Result run_observed(const OperatorEntry& op, DispatchKeySet keys, Args... args) {
    ObservedCall call(op, keys);
    if (call.wants_values()) call.set_arguments(pack(args...));
    call.begin();
    R (*kernel)(Args...) = op.kernel_for<R(Args...)>(call.keys());
    // That of a boxed kernel is where this call comes from.
    if (reinterpret_cast<AnyKernel>(kernel) == op.def().boxed_trampoline) {
      return run_observed_boxed(op, call, args...);
    }
    if constexpr (std::is_void_v<R>) {
      kernel(std::forward<Args>(args)...);
      call.succeeded();
    } else {
      R result = kernel(std::forward<Args>(args)...);
      if (call.wants_values()) call.set_results(pack_results(result));
      call.succeeded();
      if constexpr (!std::is_void_v<Result>) return result;
    }
  }
};

}  // namespace detail

// Runs the boxed kernel of `op` for a typed call. For operators that return a written argument the
// caller returns its own.
template <class Signature, class... Args>
auto run_boxed(const OperatorEntry& op, DispatchKeySet keys, Args&&... args) {
  return detail::RunBoxed<Signature>::run(op, keys, std::forward<Args>(args)...);
}

// The length of a list is not what the schema says, which is N of `int[N]` or one for all.
[[noreturn, gnu::cold]] void fail_length(const OperatorEntry& op, std::string_view argument,
                                         size_t least, size_t length, IntList given);
[[noreturn, gnu::cold]] void fail_length(const OperatorEntry& op, std::string_view argument,
                                         size_t least, size_t length, DoubleList given);

// `least` is 0 where the schema's default is the empty list, else 1.
template <size_t least, size_t length, class List>
void check_length(const OperatorEntry& op, std::string_view argument, const List& list) {
  const size_t n = list.size();
  if (n != length && n != 1 && (least != 0 || n != 0)) [[unlikely]]
    fail_length(op, argument, least, length, list);
}
template <size_t least, size_t length, class List>
void check_length(const OperatorEntry& op, std::string_view argument,
                  const std::optional<List>& list) {
  if (list) check_length<least, length>(op, argument, *list);
}

// The dispatch keys of list and device arguments.
inline DispatchKeySet keys_of(TensorList list) {
  DispatchKeySet keys;
  for (const Tensor& t : list) keys = keys | t.key_set();
  return keys;
}
// Those of arguments that a call cannot do without; `argument` is the place in the schema.
// TypeError where the tensor, or one of the list, is undefined: no kernel would look, and one would
// compute.
[[noreturn, gnu::cold]] void fail_undefined(const OperatorEntry& op, size_t argument);
inline DispatchKeySet keys_of(const OperatorEntry& op, size_t argument, const Tensor& t) {
  if (!t.defined()) [[unlikely]]
    fail_undefined(op, argument);
  return t.key_set();
}
inline DispatchKeySet keys_of(const OperatorEntry& op, size_t argument, TensorList list) {
  DispatchKeySet keys;
  for (const Tensor& t : list) keys = keys | keys_of(op, argument, t);
  return keys;
}
inline DispatchKeySet keys_of(const std::optional<Device>& device) {
  const DispatchKeySet keys = backend_key(device.value_or(default_device()).type);
  return inference_mode_enabled() ? keys : keys | DispatchKey::kADInplaceOrView;
}

}  // namespace opweave
