// Operators that a library calls.
#ifndef OPWEAVE_STABLE_OPERATOR_H_
#define OPWEAVE_STABLE_OPERATOR_H_

#include <array>
#include <tuple>

#include "opweave/stable/value.h"

namespace opweave {
namespace stable OPWEAVE_STABLE_HIDDEN {

// An operator by its handle, which the core fills when the library is loaded. Calls pass arguments
// in the order of the schema; those that are left out have their defaults.
class Callable {
 public:
  Callable() = default;
  Callable(const Callable&) = delete;

  template <class R = Tensor, class... Args>
  R call(const Args&... arguments) const {
    OwnedValue result;
    run(result.get(), 1, ToValue<Args>(arguments)...);
    return FromValue<R>::get(*result.get());
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
