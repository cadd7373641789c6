// Binding of written arguments to a schema.
#include "codegen/shapes/bind.h"

#include <fmt/format.h>

#include <charconv>

#include "codegen/syntax/named_values.h"
#include "schema/constant_parser.h"

namespace opweave::codegen {
namespace {

using Kind = QueryNode::Kind;

class Binder {
 public:
  Binder(const QueryNode& call, const Schema& schema,
         const std::function<Value(const QueryNode&)>& evaluate)
      : call_(call), schema_(schema), evaluate_(evaluate), given_(schema.arguments.size()) {
    for (const QueryNode::Item& item : call.items) {
      names_arguments_ =
          names_arguments_ || (!item.is_keyword && schema.find_argument(item.name) >= 0);
    }
  }

  Bound bind() {
    size_t position = 0;
    for (const QueryNode::Item& item : call_.items) {
      if (!take(item, position)) return std::move(bound_);
    }
    for (size_t i = 0; i < given_.size(); ++i) {
      if (!given_[i] && !take_default(i)) return std::move(bound_);
      bound_.values.push_back(std::move(*given_[i]));
    }
    return std::move(bound_);
  }

 private:
  bool refuse(Span span, std::string why) {
    bound_.refusal = std::move(why);
    bound_.refusal_span = span;
    return false;
  }

  bool take(const QueryNode::Item& item, size_t& position) {
    const bool is_label = !item.name.empty() && !item.is_keyword && !names_arguments_;
    const bool named = !item.name.empty() && !is_label;
    const int index = named ? schema_.find_argument(item.name) : static_cast<int>(position++);
    const auto i = static_cast<size_t>(index);
    // Only tensors that are given in order may have a name that is no argument's.
    if (index < 0 || (is_label && !takes_tensor(i)))
      return refuse(item.name_span, fmt::format("there is no argument '{}'", item.name));
    if (i >= given_.size() || (!named && schema_.arguments[i].keyword_only))
      return refuse(item.value.span, "too many arguments");
    const Argument& argument = schema_.arguments[i];
    if (given_[i])
      return refuse(item.value.span, fmt::format("'{}' is given twice", argument.name));
    if (is_label && !label(item, argument)) return false;
    given_[i] = value_of(item.value, argument.type);
    if (given_[i]) return true;
    if (!why_.empty()) return refuse(why_span_, why_);
    return refuse(item.value.span,
                  fmt::format("'{}' has to be {}", argument.name, print(unaliased(argument.type))));
  }

  bool takes_tensor(size_t i) const {
    return i < given_.size() && schema_.arguments[i].type.is_tensor_like();
  }

  bool label(const QueryNode::Item& item, const Argument& argument) {
    for (const auto& [name, of] : bound_.labels) {
      if (name == item.name)
        return refuse(item.name_span, fmt::format("the name '{}' is given twice", name));
    }
    bound_.labels.emplace_back(item.name, argument.name);
    return true;
  }

  static Type unaliased(Type type) {
    type.alias.reset();
    return type;
  }

  bool take_default(size_t i) {
    const Argument& argument = schema_.arguments[i];
    given_[i] = default_value(argument);
    return given_[i] ||
           refuse(call_.span, fmt::format("the argument '{}' is missing", argument.name));
  }

  std::optional<Value> value_of(const QueryNode& node, const Type& type) {
    if (node.kind == Kind::name && node.text == "none") {
      if (type.is_tensor()) return Value{ShapedTensor{{}, "", false}};
      return type.optional ? std::optional(Value{Nothing()}) : std::nullopt;
    }
    if (node.kind == Kind::call) return evaluate_(node);
    if (type.is_tensor()) return tensor(node);
    if (type.list) return list(node, type);
    return single(node, type);
  }

  std::optional<Value> tensor(const QueryNode& node) {
    std::optional<Sizes> sizes = sizes_of(node);
    if (!sizes) return {};
    for (size_t i = 0; i < sizes->size(); ++i) {
      const auto number = (*sizes)[i].number();
      if (number && *number < 0) return is_no(node.items[i].value, "a size, which is at least 0");
    }
    return Value{dense_tensor(std::move(*sizes), dtype_of(node))};
  }

  // An alias stands for its dtype.
  static std::string dtype_of(const QueryNode& node) {
    const NamedValue* dtype = find_named_value(node.dtype, BaseType::scalar_type);
    if (!dtype) return "float32";
    return named_value(*dtype, Type{.base = BaseType::scalar_type}).as<DtypeName>()->name;
  }

  // A refusal that says more than the type of the argument.
  std::nullopt_t is_no(const QueryNode& node, std::string_view what) {
    why_ = fmt::format("'{}' is not {}", node.text, what);
    why_span_ = node.span;
    return std::nullopt;
  }

  std::optional<Sizes> sizes_of(const QueryNode& node) {
    if (node.kind != Kind::list) return {};
    Sizes sizes;
    for (const QueryNode::Item& item : node.items) {
      const std::optional<Size> size = size_of(item.value);
      if (!size) return {};
      sizes.push_back(*size);
    }
    return sizes;
  }

  static bool has_a_meaning(std::string_view name) {
    return name == "true" || name == "false" || name == "none" || name == "inf" ||
           find_named_value(name) != nullptr;
  }

  std::optional<Size> size_of(const QueryNode& node) {
    if (node.kind == Kind::name && !has_a_meaning(node.text)) return Size::named(node.text);
    const std::optional<Constant> number =
        node.kind == Kind::number ? schema::parse_number(node.text) : std::nullopt;
    if (number && number->kind == Constant::Kind::integer) return Size(number->integer);
    if (node.kind == Kind::name || node.kind == Kind::number)
      return is_no(node, "a whole number of 64 bits, or a name for one");
    return {};
  }

  std::optional<Value> list(const QueryNode& node, const Type& type) {
    if (type.base == BaseType::integer) {
      const bool may_be_one = type.size && node.kind != Kind::list;
      const std::optional<Size> one = may_be_one ? size_of(node) : std::nullopt;
      if (one) return Value{Sizes(static_cast<size_t>(*type.size), *one)};
      const std::optional<Sizes> sizes = sizes_of(node);
      return sizes ? std::optional(Value{*sizes}) : std::nullopt;
    }
    if (node.kind != Kind::list) return {};
    Values values;
    Type element = type;
    element.list = false;
    element.optional = type.element_optional;
    for (const QueryNode::Item& item : node.items) {
      std::optional<Value> value = value_of(item.value, element);
      if (!value) return {};
      values.push_back(std::move(*value));
    }
    return Value{values};
  }

  static Value named_value(const NamedValue& value, const Type& type) {
    Constant constant;
    constant.kind = Constant::Kind::symbol;
    constant.string = value.name;
    return constant_value(constant, type);
  }

  static std::optional<Value> number(const QueryNode& node, const Type& type) {
    const std::optional<Constant> number =
        node.kind == Kind::number ? schema::parse_number(node.text) : std::nullopt;
    return number ? std::optional(constant_value(*number, type)) : std::nullopt;
  }

  std::optional<Value> single(const QueryNode& node, const Type& type) {
    switch (type.base) {
      case BaseType::integer: {
        if (const NamedValue* value = find_named_value(node.text, type.base))
          return named_value(*value, type);
        const std::optional<Size> size = size_of(node);
        return size ? std::optional(Value{*size}) : std::nullopt;
      }
      case BaseType::boolean:
        if (node.kind != Kind::name || (node.text != "true" && node.text != "false")) return {};
        return Value{Condition::of(node.text == "true")};
      case BaseType::floating:
      case BaseType::scalar:
        return number(node, type);
      case BaseType::scalar_type:
        if (const NamedValue* value = find_named_value(node.text, type.base))
          return named_value(*value, type);
        return {};
      case BaseType::string:
        return node.kind == Kind::text ? std::optional(Value{node.text}) : std::nullopt;
      default:
        return {};
    }
  }

  const QueryNode& call_;
  const Schema& schema_;
  const std::function<Value(const QueryNode&)>& evaluate_;
  std::vector<std::optional<Value>> given_;
  bool names_arguments_ = false;  // a name before a colon is that of an argument
  std::string why_;               // what is wrong with a part of the argument
  Span why_span_;
  Bound bound_;
};

}  // namespace

std::optional<Value> default_value(const Argument& argument) {
  if (argument.type.is_tensor() && argument.type.optional)
    return Value{ShapedTensor{{}, "", false}};
  if (!argument.default_value) return {};
  return constant_value(*argument.default_value, argument.type);
}

Bound bind_arguments(const QueryNode& call, const Schema& schema,
                     const std::function<Value(const QueryNode&)>& evaluate) {
  return Binder(call, schema, evaluate).bind();
}

}  // namespace opweave::codegen
