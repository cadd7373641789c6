// The checks of runtime/pointwise/types.cc, where some dtypes may not be known.
#include "codegen/shapes/pointwise_types.h"

#include <fmt/format.h>

#include "codegen/shapes/promotion.h"
#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

std::optional<ScalarType> dtype_of(const Value& argument) {
  const auto* tensor = argument.as<ShapedTensor>();
  return tensor && tensor->defined ? dtype_from_name(tensor->dtype) : std::nullopt;
}

int category(ScalarType t) { return is_floating(t) ? 2 : t != kBool; }

[[noreturn]] void not_taken(const Operator& op, size_t argument, ScalarType dtype) {
  throw NoShape{fmt::format("\"{}\" not implemented for '{}', the dtype of argument '{}'",
                            op.face->python_name, scalar_type_name(dtype),
                            op.schema.arguments[argument].name)};
}

class PointwiseTypes {
 public:
  PointwiseTypes(const Operator& op, const Values& arguments) : op_(op), arguments_(arguments) {}

  std::string result() const {
    check_inputs();
    const std::string common = common_dtype();
    const std::optional<ScalarType> dtype = dtype_from_name(common);
    if (dtype) check_common(*dtype);
    if (op_.elements->promotion.result == ResultRule::boolean) return "bool";
    const bool becomes_float = op_.elements->promotion.compute == ComputeRule::int_to_float &&
                               dtype && !is_floating(*dtype);
    return becomes_float ? "float32" : common;
  }

 private:
  bool takes(size_t i, ScalarType dtype) const {
    return op_.dtypes->of_arguments.empty() || op_.dtypes->of_arguments[i].contains(dtype);
  }

  void check_inputs() const {
    std::optional<ScalarType> first;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const std::optional<ScalarType> dtype = dtype_of(arguments_[i]);
      if (!dtype) continue;
      check_taken(i, *dtype);
      if (op_.elements->arguments[i].as_boolean) continue;
      if (!first) first = dtype;
      if (op_.elements->promotion.compute == ComputeRule::same && dtype != first)
        throw NoShape{fmt::format("{}(): expected dtype {} for argument '{}' but got dtype {}",
                                  op_.face->python_name, scalar_type_name(*first), name(i),
                                  scalar_type_name(*dtype))};
    }
  }

  void check_taken(size_t i, ScalarType dtype) const {
    if (takes(i, dtype)) return;
    if (op_.elements->arguments[i].as_boolean)
      throw NoShape{
          fmt::format("{}(): expected argument '{}' to be a boolean tensor, but got a tensor with "
                      "dtype {}",
                      op_.face->python_name, name(i), scalar_type_name(dtype))};
    not_taken(op_, i, dtype);
  }

  std::string common_dtype() const {
    const bool promotes = op_.elements->promotion.compute == ComputeRule::common ||
                          op_.elements->promotion.compute == ComputeRule::int_to_float;
    Values operands;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const auto* tensor = arguments_[i].as<ShapedTensor>();
      const ElementArgument& read = op_.elements->arguments[i];
      if (!promotes && tensor && tensor->defined && !read.as_boolean) return tensor->dtype;
      if (read.promotes) operands.push_back(arguments_[i]);
    }
    return operands.empty() ? "bool" : promoted(operands);
  }

  void check_common(ScalarType common) const {
    for (size_t i = 0; i < arguments_.size(); ++i) check_number(i, common);
    if (op_.selected->dtypes.contains(common)) return;
    throw NoShape{fmt::format("\"{}\" not implemented for '{}'", op_.face->python_name,
                              scalar_type_name(common))};
  }

  // Numbers that have to suit the type that the tensors have (alpha), as the entry says.
  void check_number(size_t i, ScalarType common) const {
    const Argument& argument = op_.schema.arguments[i];
    if (!op_.elements->arguments[i].suits) return;
    if (arguments_[i].as<Condition>() && common != kBool)
      throw NoShape{fmt::format("Boolean {} only supported for Boolean results.", argument.name)};
    if (arguments_[i].as<double>() && category(common) != 2)
      throw NoShape{
          fmt::format("For integral input tensors, argument {} must not be a floating "
                      "point number.",
                      argument.name)};
  }

  const std::string& name(size_t i) const { return op_.schema.arguments[i].name; }

  const Operator& op_;
  const Values& arguments_;
};

}  // namespace

std::string pointwise_dtype(const Operator& op, const Values& arguments) {
  return PointwiseTypes(op, arguments).result();
}

void check_argument_dtypes(const Operator& op, const Values& arguments) {
  if (op.is_expr()) return;
  for (size_t i = 0; i < std::min(op.dtypes->of_arguments.size(), arguments.size()); ++i) {
    const std::optional<ScalarType> dtype = dtype_of(arguments[i]);
    if (dtype && !op.dtypes->of_arguments[i].contains(*dtype)) not_taken(op, i, *dtype);
  }
}

void check_cast(const std::string& from, const std::string& to) {
  const std::optional<ScalarType> a = dtype_from_name(from), b = dtype_from_name(to);
  if (!a || !b || category(*a) <= category(*b)) return;
  throw NoShape{fmt::format("result type {} can't be cast to the desired output type {}",
                            scalar_type_name(*a), scalar_type_name(*b))};
}

}  // namespace opweave::codegen
