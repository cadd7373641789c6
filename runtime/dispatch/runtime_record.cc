// Schemas at run time as records, and defaults as values.
#include "runtime/dispatch/runtime_record.h"

#include "runtime/core/base/error.h"
#include "schema/constant_parser.h"
#include "schema/schema.h"

namespace opweave {
namespace {

using schema::Constant;
using Kind = Constant::Kind;

[[noreturn]] void fail(const schema::Problem& problem, std::string_view text) {
  OW_THROW(ErrorKind::kRuntime, problem.message, ", at character ", problem.range.begin + 1,
           " of: ", text);
}

// The values that schemas spell as names.
IValue named_value(const std::string& name, const TypeRecord& type) {
  if (type.base == BaseType::integer && name == "Mean") return int64_t{1};
  if (type.base == BaseType::integer && name == "Sum") return int64_t{2};
  for (const MemoryFormat format : {MemoryFormat::kContiguous, MemoryFormat::kPreserve,
                                    MemoryFormat::kChannelsLast, MemoryFormat::kChannelsLast3d}) {
    if (name == str(format)) return format;
  }
  for (int i = 0; i < kNumLayouts; ++i) {
    if (name == kLayouts[i].name) return static_cast<Layout>(i);
  }
  if (name == "long") return kLong;  // as PyTorch's schemas say it
  if (const auto dtype = dtype_from_name(name)) return *dtype;
  OW_THROW(ErrorKind::kRuntime, "cannot read the default '", name, "' in a schema");
}

// An element of a list.
const Constant& of_kind(const Constant& c, Kind kind, Kind other) {
  OW_CHECK(c.kind == kind || c.kind == other, "cannot read the default '", c.text, "' in a schema");
  return c;
}

// A list, or one value for all of a sized list.
template <class T, class Convert>
std::vector<T> list_of(const Constant& constant, size_t size, Convert convert) {
  if (constant.kind != Constant::Kind::list) return std::vector<T>(size, convert(constant));
  std::vector<T> values;
  for (const Constant& item : constant.items) values.push_back(convert(item));
  return values;
}

IValue list_value(const Constant& constant, const TypeRecord& type) {
  switch (type.base) {
    case BaseType::floating:
      return list_of<double>(constant, type.size, [](const Constant& c) {
        return of_kind(c, Kind::real, Kind::integer).real;
      });
    case BaseType::boolean:
      return list_of<bool>(constant, type.size, [](const Constant& c) {
        return of_kind(c, Kind::boolean, Kind::boolean).boolean;
      });
    case BaseType::tensor:
      return std::vector<Tensor>();
    default:
      return list_of<int64_t>(constant, type.size, [](const Constant& c) {
        return of_kind(c, Kind::integer, Kind::integer).integer;
      });
  }
}

[[noreturn]] void no_value(const Constant& constant, const TypeRecord& type) {
  OW_THROW(ErrorKind::kRuntime, "the default ", constant.text, " is no value of type ",
           type_text(type));
}

// A truth value counts as 0 or 1, and a number as whether it is not 0, as in PyTorch's schemas.
IValue number_value(const Constant& constant, const TypeRecord& type) {
  const bool truth = constant.kind == Kind::boolean;
  const bool real = constant.kind == Kind::real;
  switch (type.base) {
    case BaseType::boolean:
      if (real) no_value(constant, type);
      return truth ? constant.boolean : constant.integer != 0;
    case BaseType::integer:
      if (real) no_value(constant, type);
      return truth ? int64_t{constant.boolean} : constant.integer;
    case BaseType::floating:
      return truth ? static_cast<double>(constant.boolean) : constant.real;
    case BaseType::scalar:
      if (truth) return constant.boolean;
      return real ? IValue(constant.real) : IValue(constant.integer);
    default:
      no_value(constant, type);
  }
}

IValue value_of(const Constant& constant, const TypeRecord& type) {
  if (constant.kind == Kind::none) return {};
  if (type.list) {
    if (constant.kind != Kind::list && type.size == 0) no_value(constant, type);
    return list_value(constant, type);
  }
  switch (constant.kind) {
    case Kind::boolean:
    case Kind::integer:
    case Kind::real:
      return number_value(constant, type);
    case Kind::list:
      no_value(constant, type);
    case Kind::string:
      return constant.string;
    default:
      return named_value(constant.string, type);
  }
}

// A call could never leave out what has a default and stands before what has none.
void check_order(const schema::Schema& tree, std::string_view text) {
  const schema::Argument* optional = nullptr;
  for (const schema::Argument& argument : tree.arguments) {
    if (argument.keyword_only) return;
    if (argument.default_value) {
      optional = &argument;
    } else if (optional != nullptr) {
      fail({.range = argument.range,
            .message = str("'", argument.name, "' has no default but comes after '", optional->name,
                           "', which has one")},
           text);
    }
  }
}

// Says now what a call could not read.
void check_default(const schema::Argument& argument, const ArgumentRecord& record,
                   std::string_view text) {
  try {
    default_of(record);
  } catch (const Error& error) {
    fail({.range = argument.default_range,
          .message = str("'", argument.name, "': ", error.message())},
         text);
  }
}

}  // namespace

RuntimeRecord::RuntimeRecord(std::string_view schema) {
  const auto parsed = schema::parse_schema(schema, {.namespaces = true});
  if (const auto* problem = std::get_if<schema::Problem>(&parsed)) fail(*problem, schema);
  const auto& tree = std::get<schema::Schema>(parsed);
  check_order(tree, schema);
  schema_ = keep(print(tree));
  name_ = keep(tree.base_name);
  overload_ = keep(tree.overload_name);
  for (const schema::Argument& argument : tree.arguments) {
    arguments_.push_back(
        {.name = keep(argument.name),
         .type = type_record(argument.type),
         .default_value = argument.default_value ? keep(argument.default_value->text) : "",
         .keyword_only = argument.keyword_only});
    check_default(argument, arguments_.back(), schema);
  }
  for (const schema::Return& result : tree.returns) {
    returns_.push_back({.name = keep(result.name), .type = type_record(result.type)});
  }
}

TypeRecord RuntimeRecord::type_record(const schema::Type& type) {
  OW_CHECK(type.base <= BaseType::object, "operators cannot have values of type ", print(type));
  TypeRecord record;
  record.base = type.base;
  record.list = type.list;
  record.optional = type.optional;
  record.element_optional = type.element_optional;
  record.size = static_cast<uint8_t>(type.size.value_or(0));
  if (type.alias && !type.alias->before.empty()) record.alias = type.alias->before[0][0];
  record.written = type.is_mutated();
  record.object = type.object;
  return record;
}

std::string type_text(const TypeRecord& type) {
  schema::Type tree;
  tree.base = type.base;
  tree.object = type.object;
  tree.list = type.list;
  tree.element_optional = type.element_optional;
  tree.optional = type.optional;
  if (type.size > 0) tree.size = type.size;
  return print(tree);
}

Constant constant_of(const ArgumentRecord& argument) {
  schema::TextScanner scan(argument.default_value);
  std::optional<Constant> constant = schema::parse_constant(scan);
  OW_INTERNAL_ASSERT(constant, "a default that cannot be read: ", argument.default_value);
  return *std::move(constant);
}

IValue default_of(const ArgumentRecord& argument) {
  if (argument.default_value.empty()) return {};
  return value_of(constant_of(argument), argument.type);
}

}  // namespace opweave
