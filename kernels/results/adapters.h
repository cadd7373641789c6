// Adapters: what is registered for an operator whose kernel fills results that exist. `Op` is the
// operator's struct (`ops::mm`), `rule` the generated function that checks a call and says what its
// results look like, `kernel` the handwritten function; null for targets without elements.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/results/devices.h"
#include "kernels/results/out.h"
#include "runtime/dispatch/operator.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace results {

template <class T>
inline constexpr int count_of = 1;
template <class... T>
inline constexpr int count_of<std::tuple<T...>> = static_cast<int>(sizeof...(T));

// The tensors of an argument.
inline TensorList tensors_of(const Tensor& t) { return std::span<const Tensor>(&t, 1); }
inline TensorList tensors_of(TensorList list) { return list; }
template <class T>
TensorList tensors_of(const T&) {
  return {};
}

// How users know the operator: an internal one computes for one of its name without `_`.
constexpr std::string_view known_name(std::string_view name) {
  const std::string_view plain = plain_name(name);
  return plain.starts_with('_') ? plain.substr(1) : plain;
}

// Asks for the dtype of `out` where none is asked for.
inline void ask_for(std::optional<ScalarType>& dtype, const Tensor& out) {
  if (!dtype) dtype = out.dtype();
}
template <class T>
void ask_for(const T&, const Tensor&) {}

// The tensors of each argument, for the message.
template <class Op, class... Args>
[[gnu::cold, gnu::noinline]] void check_devices(const Args&... args) {
  const TensorList tensors[sizeof...(Args)] = {tensors_of(args)...};
  check_one_device(Op::entry, tensors);
}

// The results are made where the kernel runs that fills them.
template <class Op, class... Args>
[[gnu::cold, gnu::noinline]] void check_result_devices(std::span<const ResultSpec> specs,
                                                       const Args&... args) {
  const TensorList tensors[sizeof...(Args)] = {tensors_of(args)...};
  for (const ResultSpec& spec : specs) {
    if (spec.defined()) check_result_device(Op::entry, tensors, spec.device());
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_without_result(const OperatorEntry& op) {
  OW_THROW(ErrorKind::kRuntime, plain_name(op.full_name()), "(): the kernel returned no tensor");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_replaced(const OperatorEntry& op) {
  OW_THROW(
      ErrorKind::kRuntime, known_name(op.def().name),
      "(): the kernel put another tensor in the place of its result, which its rule has made: it "
      "has to be written, as by copy_()");
}

// What a kernel has been given to fill is still there.
template <class Op>
void check_filled(const Tensor& result, const TensorImpl* made) {
  if (result.impl() != made) [[unlikely]]
    fail_replaced(Op::entry);
}

// What a kernel has made itself: tensors that are there. Of several results some may be left out.
template <class Op, class R>
R&& returned(R&& result) {
  if constexpr (std::is_same_v<std::remove_cvref_t<R>, Tensor>) {
    if (!result.defined()) [[unlikely]]
      fail_without_result(Op::entry);
  } else if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
    for (const Tensor& t : result) {
      if (!t.defined()) [[unlikely]]
        fail_without_result(Op::entry);
    }
  }
  return std::forward<R>(result);
}

// Whether there is a kernel. Its type says so; under a sanitizer its address is no constant.
template <auto kernel>
inline constexpr bool is_given = !std::is_null_pointer_v<decltype(kernel)>;

}  // namespace results

// What an entry says of the calls of its operator besides its rule. It is written where the kernel
// is registered: a file may register kernels of one operator for several targets.
struct CallTraits {
  // The rule says itself which devices go together.
  bool knows_devices = false;
  // What is read of one place is written to another.
  bool moves_elements = false;
  // Of an out form: it computes in the dtype of `out` if no other is asked for.
  bool computes_as_out = false;
  // Of an out form: which dtypes its tensors may have beside that of the result.
  OutDtype out_dtype = OutDtype::kSame;
};

// Checks a call: its tensors are on one device, unless the rule itself says which go together, and
// what the rule requires.
template <class Op, auto rule, CallTraits traits, class... Args>
inline void check_call(std::span<ResultSpec> specs, Args&... args) {
  DevicesSeen devices;
  if constexpr (!traits.knows_devices) {
    (devices.see(args), ...);
    if (devices.differ()) [[unlikely]]
      results::check_devices<Op>(args...);
  }
  rule(args..., specs.data());
  if (devices.differ()) [[unlikely]]
    results::check_result_devices<Op>(specs, args...);
}

// A new tensor for each result.
template <class Op, auto rule, auto kernel, CallTraits traits = {},
          class Signature = typename Op::Signature>
struct FillNew;
template <class Op, auto rule, auto kernel, CallTraits traits, class R, class... Args>
struct FillNew<Op, rule, kernel, traits, R(Args...)> {
  static R call(Args... args) {
    ResultSpec specs[results::count_of<R>];
    check_call<Op, rule, traits>(specs, args...);
    return fill(specs, std::make_index_sequence<results::count_of<R>>(), args...);
  }

 private:
  template <size_t... I>
  static R fill(const ResultSpec* specs, std::index_sequence<I...>, Args&... args) {
    if constexpr (std::is_same_v<R, Tensor>) {
      Tensor out = specs[0].make();
      if constexpr (results::is_given<kernel>) {
        const TensorImpl* made = out.impl();
        kernel(args..., out);
        results::check_filled<Op>(out, made);
      }
      return out;
    } else {
      R outs{specs[I].make()...};
      if constexpr (results::is_given<kernel>) {
        const TensorImpl* const made[] = {std::get<I>(outs).impl()...};
        kernel(args..., std::get<I>(outs)...);
        (results::check_filled<Op>(std::get<I>(outs), made[I]), ...);
      }
      return outs;
    }
  }
};

// The tensors that the caller gave, which are the last arguments.
template <class Op, auto rule, auto kernel, CallTraits traits = {},
          class Signature = typename Op::Signature>
struct FillOut;
template <class Op, auto rule, auto kernel, CallTraits traits, class R, class... Args>
struct FillOut<Op, rule, kernel, traits, R(Args...)> {
  static R call(Args... args) {
    constexpr size_t outs = std::is_same_v<R, Tensor&> ? 1 : results::count_of<R>;
    return fill(std::make_index_sequence<sizeof...(Args) - outs>(),
                std::make_index_sequence<outs>(), std::forward_as_tuple(args...));
  }

 private:
  template <size_t... I, size_t... O, class All>
  static R fill(std::index_sequence<I...>, std::index_sequence<O...>, All all) {
    ResultSpec specs[sizeof...(O)];
    if constexpr (traits.computes_as_out)
      (results::ask_for(std::get<I>(all), std::get<sizeof...(I)>(all)), ...);
    check_call<Op, rule, traits>(specs, std::get<I>(all)...);
    const TensorList inputs[] = {results::tensors_of(std::get<I>(all))...};
    const Tensor* const given[] = {&std::get<sizeof...(I) + O>(all)...};
    check_outs_apart(given);
    OutTensor outs[] = {OutTensor(results::known_name(Op::entry.def().name),
                                  std::get<sizeof...(I) + O>(all), specs[O], inputs,
                                  traits.out_dtype)...};
    if constexpr (results::is_given<kernel>) {
      const TensorImpl* const made[] = {outs[O].target().impl()...};
      kernel(std::get<I>(all)..., outs[O].target()...);
      (results::check_filled<Op>(outs[O].target(), made[O]), ...);
    }
    (outs[O].finish(), ...);
    if constexpr (sizeof...(O) == 1) {
      return std::get<sizeof...(I)>(all);
    } else {
      return R{std::get<sizeof...(I) + O>(all)...};
    }
  }
};

// An operator that writes its arguments: its call is checked, nothing is made.
template <class Op, auto rule, auto kernel, CallTraits traits = {},
          class Signature = typename Op::Signature>
struct Checked;
template <class Op, auto rule, auto kernel, CallTraits traits, class R, class First, class... Args>
struct Checked<Op, rule, kernel, traits, R(First, Args...)> {
  static R call(First first, Args... args) {
    check_call<Op, rule, traits>({}, first, args...);
    if constexpr (traits.moves_elements) {
      for (const TensorList tensors : {results::tensors_of(args)...}) check_apart(first, tensors);
    }
    if constexpr (results::is_given<kernel> && std::is_void_v<R>) {
      kernel(first, args...);
    } else if constexpr (results::is_given<kernel>) {
      return results::returned<Op>(kernel(first, args...));
    } else if constexpr (!std::is_void_v<R>) {
      return first;
    }
  }
};

// An operator without a rule, whose kernel sees to all but that its tensors are on one device.
template <class Op, auto kernel, class Signature = typename Op::Signature>
struct OneDevice;
template <class Op, auto kernel, class R, class... Args>
struct OneDevice<Op, kernel, R(Args...)> {
  static R call(Args... args) {
    DevicesSeen devices;
    (devices.see(args), ...);
    if (devices.differ()) [[unlikely]]
      results::check_devices<Op>(args...);
    if constexpr (std::is_void_v<R>) {
      kernel(args...);
    } else {
      return results::returned<Op>(kernel(args...));
    }
  }
};

// An operator without a rule, of one tensor: the kernel sees to all.
template <class Op, auto kernel, class Signature = typename Op::Signature>
struct Returns;
template <class Op, auto kernel, class R, class... Args>
struct Returns<Op, kernel, R(Args...)> {
  static R call(Args... args) { return results::returned<Op>(kernel(args...)); }
};

// Where the elements decide what the results look like, and there are none.
template <class Op, class Signature = typename Op::Signature>
struct NeedsData;
template <class Op, class R, class... Args>
struct NeedsData<Op, R(Args...)> {
  static R call(Args...) {
    OW_THROW(ErrorKind::kNotImplemented, "Could not run '", Op::entry.full_name(),
             "' on the 'meta' target: what it gives depends on elements, which meta tensors do not "
             "have");
  }
};

template <class Op, class Adapter>
void set_kernel(DispatchKey key) {
  static_assert(std::is_same_v<decltype(&Adapter::call), typename Op::Signature*>);
  Op::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&Adapter::call));
}

}  // namespace opweave
