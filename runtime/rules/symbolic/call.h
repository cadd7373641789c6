// Printed rules over symbols, called by the names of their operators.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/core/numbers/scalar.h"
#include "runtime/rules/symbolic/functions.h"

namespace opweave::symbolic {

// An argument: nothing, or what its type in the schema says.
using SymValue =
    std::variant<std::monostate, bool, double, SymInt, std::string, ScalarType, Device, Scalar,
                 SymDims, std::vector<bool>, SymTensor, std::vector<SymTensor>>;

struct SymbolicRule {
  std::string_view name;  // of the operator, with its overload
  size_t results;
  void (*call)(std::span<const SymValue> arguments, SymResult* results);
};

// What a call gives, in the order of the schema. Errors are those of a call with the hints as
// sizes.
std::vector<SymResult> results_of(const SymbolicRule& rule, std::span<const SymValue> arguments);

// nullptr for an operator that has none.
const SymbolicRule* find_symbolic_rule(std::string_view name);
std::vector<const SymbolicRule*> symbolic_rules();

// The rule of pointwise operators: the tensors broadcast.
void pointwise(std::span<const SymValue> arguments, SymResult* results);

// Adds rules while the program is loaded.
struct SymbolicRules {
  explicit SymbolicRules(std::span<const SymbolicRule> rules);
};

namespace detail {

[[noreturn]] void throw_wrong_argument(size_t index);

// An argument of a rule's C++ parameter.
template <class T>
struct Read {
  static const T& from(const SymValue& value, size_t index) {
    if (const T* held = std::get_if<T>(&value)) return *held;
    throw_wrong_argument(index);
  }
};
template <class T>
struct Read<std::optional<T>> {
  static std::optional<T> from(const SymValue& value, size_t index) {
    if (std::holds_alternative<std::monostate>(value)) return {};
    return Read<T>::from(value, index);
  }
};
// Of the types that no argument has, only none can be given.
template <>
struct Read<std::optional<Generator>> {
  static std::optional<Generator> from(const SymValue&, size_t) { return {}; }
};
template <>
struct Read<SymTensor> {
  static SymTensor from(const SymValue& value, size_t index) {
    if (std::holds_alternative<std::monostate>(value)) return {};
    if (const auto* held = std::get_if<SymTensor>(&value)) return *held;
    throw_wrong_argument(index);
  }
};
template <>
struct Read<symbols::Scalar> {
  static symbols::Scalar from(const SymValue& value, size_t index) {
    return Read<Scalar>::from(value, index);
  }
};
template <>
struct Read<SymIntList> {
  static SymIntList from(const SymValue& value, size_t index) {
    return Read<SymDims>::from(value, index);
  }
};
template <>
struct Read<SymTensorList> {
  static SymTensorList from(const SymValue& value, size_t index) {
    return {std::span<const SymTensor>(Read<std::vector<SymTensor>>::from(value, index))};
  }
};
template <>
struct Read<std::string_view> {
  static std::string_view from(const SymValue& value, size_t index) {
    return Read<std::string>::from(value, index);
  }
};
template <size_t N>
struct Read<std::array<bool, N>> {
  static std::array<bool, N> from(const SymValue& value, size_t index) {
    const auto& held = Read<std::vector<bool>>::from(value, index);
    if (held.size() != N) throw_wrong_argument(index);
    std::array<bool, N> out;
    std::copy(held.begin(), held.end(), out.begin());
    return out;
  }
};

}  // namespace detail

template <auto rule>
struct Boxed;
template <class... Parameters, void (*rule)(Parameters...)>
struct Boxed<rule> {
  static constexpr size_t kArguments = sizeof...(Parameters) - 1;  // the last are the results

  static void call(std::span<const SymValue> arguments, SymResult* results) {
    if (arguments.size() != kArguments) detail::throw_wrong_argument(arguments.size());
    apply(arguments, results, std::make_index_sequence<kArguments>());
  }

 private:
  using All = std::tuple<Parameters...>;
  template <size_t I>
  using Held = std::remove_cvref_t<std::tuple_element_t<I, All>>;

  template <size_t... I>
  static void apply([[maybe_unused]] std::span<const SymValue> arguments, SymResult* results,
                    std::index_sequence<I...>) {
    // Rules of operators that write into tensors take them as such.
    std::tuple<Held<I>...> held{detail::Read<Held<I>>::from(arguments[I], I)...};
    rule(std::get<I>(held)..., results);
  }
};

}  // namespace opweave::symbolic
