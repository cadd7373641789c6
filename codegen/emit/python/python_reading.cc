// How the parameters of Python functions are read.
#include "codegen/emit/python/python_reading.h"

#include <algorithm>

#include "codegen/syntax/value_types.h"
#include "schema/object_types.h"

namespace opweave::codegen {
namespace {

const Argument& schema_argument(const PythonOverload& o, const PythonParameter& p) {
  return o.op->schema.arguments[p.index];
}

// None stands for the default of the schema, for which None is no value.
bool none_is_default(const PythonOverload& o, const PythonParameter& p) {
  return is_argument(p) && p.argument->type.optional && !schema_argument(o, p).type.optional;
}

// The reader of a single value that is no tensor: `a.integer(…)`.
std::string value_reader(const Type& type) {
  const std::string reader(find_value_type(type.base)->reader);
  if (type.base != BaseType::object) return reader;
  return reader + "<" + schema::find_object_type(type.object)->cpp + ">";
}

// dtypes, devices and the like, whose readers always give an optional.
bool always_reads_optional(BaseType base) {
  return base == BaseType::scalar_type || base == BaseType::layout || base == BaseType::device ||
         base == BaseType::memory_format || base == BaseType::object;
}

std::string reader_of(const PythonOverload& o, const PythonParameter& parameter) {
  const Type& type = schema_argument(o, parameter).type;
  const std::string optional = type.optional ? "optional_" : "";
  if (type.is_tensor()) {
    return type.optional              ? "optional_tensor"
           : parameter.accepts_number ? "tensor_or_number"
                                      : "tensor";
  }
  if (type.list) return optional + with_length(find_list_type(type.base)->reader, type);
  const std::string reader = value_reader(type);
  return always_reads_optional(type.base) ? reader : optional + reader;
}

// What the reader gives when the call leaves the argument out: ", 0".
std::string default_of(const PythonOverload& o, const PythonParameter& parameter) {
  const std::optional<Constant>& value = parameter.argument->default_value;
  const Type& type = schema_argument(o, parameter).type;
  if (type.is_tensor_like() || (type.list && type.optional)) return "";
  return value && value->kind != Constant::Kind::none ? ", " + default_expression(o, parameter)
                                                      : "";
}

}  // namespace

bool is_argument(const PythonParameter& p) {
  return p.role == NnRole::argument || p.role == NnRole::reduction;
}

int place_of(const PythonOverload& o, NnRole role) {
  const auto found = std::ranges::find(o.parameters, role, &PythonParameter::role);
  return found == o.parameters.end() ? -1 : static_cast<int>(found - o.parameters.begin());
}

std::string default_expression(const PythonOverload& o, const PythonParameter& p) {
  if (p.reads_none) return "0";
  const Argument& own = schema_argument(o, p);
  const bool schema_says = p.role == NnRole::reduction || none_is_default(o, p);
  return constant_expression(schema_says ? *own.default_value : *p.argument->default_value,
                             own.type);
}

std::string kind_of(const PythonParameter& p) {
  // Whatever it is: its reader names it, or asks for its truth.
  const bool any =
      p.role == NnRole::reduction || p.role == NnRole::size_average || p.role == NnRole::reduce;
  if (any) return "kObject";
  const Type& type = p.argument->type;
  if (type.is_tensor()) return p.accepts_number ? "kTensorOrNumber" : "kTensor";
  const ListType* list = type.list ? find_list_type(type.base) : nullptr;
  return std::string(list ? list->kind : find_value_type(type.base)->kind);
}

std::string read_expression(const PythonOverload& o, const PythonParameter& parameter,
                            size_t index) {
  const std::string at = std::to_string(index);
  if (parameter.role == NnRole::reduction) {
    return "reduction_argument(a, " + at + ", " + default_expression(o, parameter) + ", " +
           std::to_string(place_of(o, NnRole::size_average)) + ", " +
           std::to_string(place_of(o, NnRole::reduce)) + ")";
  }
  const Type& type = schema_argument(o, parameter).type;
  const bool unwrap = !type.optional && !type.list && always_reads_optional(type.base);
  const std::string read = "a." + reader_of(o, parameter) + "(" + at;
  if (!none_is_default(o, parameter)) {
    return read + default_of(o, parameter) + ")" + (unwrap ? ".value()" : "");
  }
  const std::string otherwise = default_expression(o, parameter);
  return "a.given(" + at + ") ? " + read +
         ") : " + (type.list ? "IntListArg{" + otherwise + "}" : otherwise);
}

std::string_view local_type(const PythonOverload& o, const PythonParameter& parameter) {
  const Type& type = schema_argument(o, parameter).type;
  if (!type.is_tensor()) return "const auto ";
  return type.optional              ? "const Tensor& "
         : parameter.accepts_number ? "const TensorArg "
                                    : "Tensor& ";
}

}  // namespace opweave::codegen
