// Operators that a library calls.
#ifndef OPWEAVE_STABLE_OPERATOR_H_
#define OPWEAVE_STABLE_OPERATOR_H_

#include <array>
#include <tuple>

#include "opweave/stable/value.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

// What a call gives: one value, or a tuple of them.
template <class R>
struct Results {
  template <class Run>
  static R of(Run run) {
    OwnedValue result;
    run(result.get(), 1);
    return FromValue<R>::get(*result.get());
  }
};
template <class... R>
struct Results<std::tuple<R...>> {
  template <class Run>
  static std::tuple<R...> of(Run run) {
    struct Values {
      OwValue all[sizeof...(R)] = {};
      ~Values() {
        for (OwValue& value : all) api().value_release(&value);
      }
    } values;
    run(values.all, sizeof...(R));
    return taken(values.all, std::index_sequence_for<R...>());
  }

 private:
  template <size_t... I>
  static std::tuple<R...> taken(const OwValue* values, std::index_sequence<I...>) {
    return {FromValue<R>::get(values[I])...};
  }
};

// An operator by its handle, which the core fills when the library is loaded. Calls pass arguments
// in the order of the schema; those that are left out have their defaults.
class Callable {
 public:
  Callable() = default;
  Callable(const Callable&) = delete;

  template <class R = Tensor, class... Args>
  R call(const Args&... arguments) const {
    if constexpr (std::is_void_v<R>) {
      run(nullptr, 0, ToValue<Args>(arguments)...);
    } else {
      return Results<R>::of([&](OwValue* results, uint32_t count) {
        run(results, count, ToValue<Args>(arguments)...);
      });
    }
  }
  template <class... Args>
  Tensor operator()(const Args&... arguments) const {
    return call<Tensor>(arguments...);
  }
  OwHandle* handle() { return &handle_; }

 private:
  template <class... V>
  void run(OwValue* results, uint32_t count, const V&... arguments) const {
    const OwValue values[] = {*arguments.get()..., OwValue{}};
    check(api().operator_call(handle_, values, sizeof...(V), results, count));
  }

  OwHandle handle_ = nullptr;
};

// One of the core, as an object with static lifetime: its schema is compared when the library is
// loaded.
class Operator : public Callable {
 public:
  explicit Operator(const char* schema) : schema_(schema), next_(first()) { first() = this; }

  static Operator* all() { return first(); }
  Operator* next() const { return next_; }
  OwUse use() { return {schema_, handle()}; }

 private:
  static Operator*& first() {
    static Operator* list = nullptr;
    return list;
  }

  const char* schema_;
  Operator* next_;
};

}  // namespace OPWEAVE_STABLE_HIDDEN
}  // namespace opweave

#endif  // OPWEAVE_STABLE_OPERATOR_H_
