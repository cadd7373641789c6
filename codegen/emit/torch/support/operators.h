// What generated code needs of PyTorch: its types by the names that formulas use, and operators
// that are called with whatever a formula has in hand.
#pragma once

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/SymIntArrayRef.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "arithmetic.h"

namespace opweave {

using at::Device;
using at::Layout;
using at::MemoryFormat;
using at::Scalar;
using at::ScalarType;
using at::Tensor;
using at::TensorList;
using IntList = at::IntArrayRef;
using DoubleList = at::ArrayRef<double>;
using DimVector = c10::SmallVector<int64_t, 5>;

// A number among tensors, which changes their dtype no more than a Python number would. It has its
// value also while PyTorch traces.
inline Tensor wrapped_number_tensor(const Scalar& number) {
  return at::native::wrapped_scalar_tensor(number);
}

// An argument as the called operator takes it. Sizes that a trace does not know are SymInts, and
// most operators take those where a formula has numbers.
template <class To, class From>
decltype(auto) as_parameter(From&& value) {
  using Plain = std::decay_t<To>;
  using Given = std::decay_t<From>;
  if constexpr (std::is_same_v<Plain, c10::SymIntArrayRef> &&
                std::is_convertible_v<Given, IntList>) {
    return c10::fromIntArrayRefSlow(value);
  } else if constexpr (std::is_same_v<Plain, int64_t> && std::is_same_v<Given, c10::SymInt>) {
    return value.guard_int(__FILE__, __LINE__);
  } else if constexpr (std::is_same_v<Plain, c10::List<std::optional<Tensor>>> &&
                       std::is_convertible_v<Given, TensorList>) {
    Plain list;
    for (const Tensor& tensor : TensorList(value))
      list.push_back(as_parameter<std::optional<Tensor>>(tensor));
    return list;
  } else if constexpr (std::is_same_v<Plain, std::optional<Tensor>> &&
                       std::is_same_v<Given, Tensor>) {
    return value.defined() ? std::optional<Tensor>(value) : std::nullopt;
  } else {
    return std::forward<From>(value);
  }
}

template <class Function>
struct Parameters;
template <class Result, class... P>
struct Parameters<Result(P...)> {
  static constexpr size_t kCount = sizeof...(P);
  template <class Op, class... A>
  static Result call(A&&... arguments) {
    return Op::call(as_parameter<P>(std::forward<A>(arguments))...);
  }
};

// An operator of PyTorch itself.
template <class Op>
struct AtenOperator {
  template <class... A>
  static decltype(auto) call(A&&... arguments) {
    using P = Parameters<typename Op::schema>;
    static_assert(P::kCount == sizeof...(A),
                  "this PyTorch has an operator of that name with other arguments");
    return P::template call<Op>(std::forward<A>(arguments)...);
  }
};

// An operator of this library: found once, called through the dispatcher.
template <class Op, class Function>
struct OwnOperator {
  static const c10::TypedOperatorHandle<Function>& handle() {
    static const auto found = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow(Op::kName, Op::kOverload)
                                  .template typed<Function>();
    return found;
  }
  struct Dispatched {
    template <class... A>
    static decltype(auto) call(A&&... arguments) {
      return handle().call(std::forward<A>(arguments)...);
    }
  };
  template <class... A>
  static decltype(auto) call(A&&... arguments) {
    return Parameters<Function>::template call<Dispatched>(std::forward<A>(arguments)...);
  }
  template <class... A>
  static decltype(auto) redispatch(c10::DispatchKeySet keys, A&&... arguments) {
    return handle().redispatch(keys, std::forward<A>(arguments)...);
  }
};

}  // namespace opweave
