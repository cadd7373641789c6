// Operators that a library calls.
#ifndef OPWEAVE_STABLE_OPERATOR_H_
#define OPWEAVE_STABLE_OPERATOR_H_

#include <array>
#include <tuple>

#include "opweave/stable/value.h"

namespace opweave {
namespace stable {

// An object with static lifetime: the core compares its schema when the library is loaded, and
// finds the operator. Calls pass arguments in the order of the schema; those that are left out have
// their defaults.
class Operator {
 public:
  explicit Operator(const char* schema) : schema_(schema), next_(first()) { first() = this; }
  Operator(const Operator&) = delete;

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

  static Operator* all() { return first(); }
  Operator* next() const { return next_; }
  OwUse use() { return {schema_, &handle_}; }

 private:
  static Operator*& first() {
    static Operator* list = nullptr;
    return list;
  }
  template <class... V>
  void run(OwValue* results, uint32_t count, const V&... arguments) const {
    const OwValue values[] = {*arguments.get()..., OwValue{}};
    check(api().operator_call(handle_, values, sizeof...(V), results, count));
  }

  const char* schema_;
  Operator* next_;
  OwHandle handle_ = nullptr;
};

}  // namespace stable
}  // namespace opweave

#endif  // OPWEAVE_STABLE_OPERATOR_H_
