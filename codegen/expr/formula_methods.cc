// The table of metadata methods.
#include "codegen/expr/formula_methods.h"

#include <fmt/format.h>

#include "codegen/expr/formula_convert.h"

namespace opweave::codegen {
namespace {

enum class Receiver { tensor, tensor_list, any_list, optional };

struct Method {
  std::string_view name;
  Receiver receiver;
  Property property;
  std::string_view doc;
  bool takes_dim = false;
  BaseType result = BaseType::integer;
  bool returns_list = false;
};

constexpr Method kMethods[] = {
    {"sizes", Receiver::tensor, Property::sizes, "All sizes.", false, BaseType::integer, true},
    {"size", Receiver::tensor, Property::size, "The size of a dimension, which may be negative.",
     true},
    {"dim", Receiver::tensor, Property::dim, "How many dimensions it has."},
    {"numel", Receiver::tensor, Property::numel, "How many elements it has."},
    {"strides", Receiver::tensor, Property::strides, "All strides.", false, BaseType::integer,
     true},
    {"stride", Receiver::tensor, Property::stride, "The stride of a dimension.", true},
    {"storage_offset", Receiver::tensor, Property::storage_offset,
     "Where its first element lies in the memory that views share."},
    {"scalar_type", Receiver::tensor, Property::scalar_type, "The dtype.", false,
     BaseType::scalar_type},
    {"layout", Receiver::tensor, Property::layout, "The layout.", false, BaseType::layout},
    {"device", Receiver::tensor, Property::device, "The device.", false, BaseType::device},
    {"options", Receiver::tensor, Property::options,
     "Dtype, layout and device in one, for operators that make tensors.", false, BaseType::options},
    {"defined", Receiver::tensor, Property::defined, "Whether there is a tensor.", false,
     BaseType::boolean},
    {"is_floating_point", Receiver::tensor, Property::is_floating_point,
     "Whether its dtype is a floating-point one.", false, BaseType::boolean},
    {"is_complex", Receiver::tensor, Property::is_complex, "Whether its dtype is a complex one.",
     false, BaseType::boolean},
    {"size", Receiver::any_list, Property::length, "How many elements a list has."},
    {"sizes_along", Receiver::tensor_list, Property::sizes_along,
     "Of each tensor of a list its size in a dimension.", true, BaseType::integer, true},
    {"has_value", Receiver::optional, Property::has_value, "Whether it is not none.", false,
     BaseType::boolean},
};

bool receives(Receiver receiver, const Type& type) {
  switch (receiver) {
    case Receiver::tensor:
      return type.is_tensor();
    case Receiver::tensor_list:
      return type.is_tensor_list() && !type.optional;
    case Receiver::any_list:
      return type.list && !type.optional;
    case Receiver::optional:
      return type.optional && !type.is_tensor();
  }
  return false;
}

const Method* find_method(std::string_view name, const Type& type) {
  for (const Method& method : kMethods) {
    if (method.name == name && receives(method.receiver, type)) return &method;
  }
  return nullptr;
}

bool is_value_method(std::string_view name, const Type& type) {
  return name == "value" && receives(Receiver::optional, type);
}

std::string_view receiver_name(Receiver receiver) {
  switch (receiver) {
    case Receiver::tensor:
      return "tensor";
    case Receiver::tensor_list:
      return "tensors";
    case Receiver::any_list:
      return "list";
    case Receiver::optional:
      break;
  }
  return "optional";
}

}  // namespace

std::vector<MetadataMethod> metadata_methods() {
  std::vector<MetadataMethod> all;
  for (const Method& method : kMethods) {
    Type type = plain_type(method.result);
    type.list = method.returns_list;
    const bool options = method.result == BaseType::options;
    all.push_back(
        {method.name,
         fmt::format("{}.{}({}) -> {}", receiver_name(method.receiver), method.name,
                     method.takes_dim ? "int dim" : "", options ? "options" : print(type)),
         method.doc});
  }
  all.push_back({"value", "optional.value() -> its type", "What it is, where it is not none."});
  return all;
}

bool is_metadata_method(std::string_view name, const Type& receiver) {
  return find_method(name, receiver) || is_value_method(name, receiver);
}

const FormulaNode* check_metadata_method(const SyntaxNode& node, const FormulaNode* receiver,
                                         const std::vector<const FormulaNode*>& arguments,
                                         FormulaArena& arena, DiagnosticSink& sink) {
  const Method* method = find_method(node.text, receiver->type);
  size_t expected = method && method->takes_dim ? 1 : 0;
  if (arguments.size() != expected) {
    sink.error(Code::wrong_arguments, node.span,
               fmt::format("'{}' takes {} argument{}, not {}", node.text, expected,
                           expected == 1 ? "" : "s", arguments.size()));
    return nullptr;
  }
  if (!method) {
    Type type = receiver->type;
    type.optional = false;
    return arena.convert(receiver, Conversion::from_optional, type);
  }
  std::vector<const FormulaNode*> operands = {receiver};
  for (const FormulaNode* dim : arguments) {
    if (!conversion_cost(*dim, plain_type(BaseType::integer))) {
      sink.error(Code::type_mismatch, dim->span,
                 fmt::format("a dimension must be an int, not {}", print(dim->type)));
      return nullptr;
    }
    operands.push_back(dim);
  }
  Type type = plain_type(method->result);
  type.list = method->returns_list;
  FormulaNode& made = arena.make(FormulaKind::property, type, node.span, operands);
  made.property = method->property;
  return &made;
}

}  // namespace opweave::codegen
