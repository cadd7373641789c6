// Between boxed values and those of the stable interface.
#pragma once

#include <deque>
#include <vector>

#include "runtime/dispatch/ivalue.h"
#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

// A tensor as libraries see it: the object behind the pointer that a Tensor is.
inline OwTensor handle_of(const Tensor& t) { return reinterpret_cast<OwTensor>(t.impl()); }
inline TensorImpl* impl_of(OwTensor t) { return reinterpret_cast<TensorImpl*>(t); }
inline Tensor tensor_of(OwTensor t) { return Tensor(intrusive_ptr<TensorImpl>(impl_of(t))); }
// The same, of a reference that the library gives away.
OwTensor give(Tensor t);

// Arguments of a call, as views of a stack that stays where it is.
class Arguments {
 public:
  explicit Arguments(const Stack& stack);
  const OwValue* data() const { return values_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }

 private:
  OwValue view(const IValue& value);

  std::vector<OwValue> values_;
  std::deque<std::vector<uint8_t>> bools_;
};

// A value that a library passes, by its tag. TypeError for one that there is not.
IValue to_ivalue(const OwValue& value);
// A value that a library gets to keep, until value_release().
OwValue to_owned(const IValue& value);
void release(OwValue& value);

Scalar to_scalar(const OwNumber& number);
// Of codes of another release: TypeError for those that this core does not have.
ScalarType to_scalar_type(int32_t code);
Device to_device(OwDevice device);

}  // namespace opweave::stable

// What a function of a library leaves.
struct OwResults {
  explicit OwResults(size_t count) : values(count) {}
  opweave::Stack values;
};
