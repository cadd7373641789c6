// The faces of operators for boxed calls.
#include "bindings/python/core/calls/boxed_face.h"

#include "bindings/python/core/functions/operator_face.h"
#include "bindings/python/core/objects/convert.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"

namespace opweave::python {
BoxedFace::BoxedFace(const OperatorDef& def) : def_(def) {
  OW_CHECK(def.record.arguments.size() <= kMaxParams, "a schema can have ", kMaxParams,
           " arguments at most");
  for (const ArgumentRecord& argument : def.record.arguments) {
    params_.push_back(schema_param(argument));
    if (argument.number) params_.back().kind = Kind::kTensorOrNumber;
    defaults_.push_back(default_of(argument));
  }
  overload_.params = params_;
  function_ = {plain_name(def.name), {&overload_, 1}};
}

namespace {

IValue read(const Arguments& a, const Param& param, int i) {
  switch (param.kind) {
    case Kind::kTensor:
      return a.tensor(i);
    case Kind::kTensorOrNumber:
      return static_cast<const Tensor&>(a.tensor_or_number(i));
    case Kind::kTensorList:
      return std::move(a.tensor_list(i).values);
    case Kind::kScalar:
      return a.scalar(i);
    case Kind::kInt:
      return a.integer(i);
    case Kind::kIntList:
      return IValue(IntList(a.int_list(i)));
    case Kind::kDouble:
      return a.real(i);
    case Kind::kDoubleList:
      return std::move(a.real_list(i).values);
    case Kind::kBool:
      return a.boolean(i);
    case Kind::kString:
      return a.string(i);
    case Kind::kDtype:
      return a.dtype(i);
    case Kind::kLayout:
      return a.layout(i);
    case Kind::kDevice:
      return a.device(i);
    case Kind::kMemoryFormat:
      return a.memory_format(i);
    case Kind::kBoolArray:
      return a.bool_list(i);
    case Kind::kOpaque:
    case Kind::kObject:
      break;
  }
  return to_ivalue(a.object(i));
}

}  // namespace

Stack BoxedFace::to_stack(const Arguments& arguments) const {
  Stack stack;
  stack.reserve(params_.size());
  for (size_t i = 0; i < params_.size(); ++i) {
    const int n = static_cast<int>(i);
    if (arguments.given(n)) {
      stack.push_back(read(arguments, params_[i], n));
    } else {
      stack.push_back(arguments.object(n) == Py_None ? IValue() : defaults_[i]);
    }
  }
  return stack;
}

}  // namespace opweave::python
