// Printing of operators' records.
#include "codegen/emit/operators/operator_records.h"

#include <algorithm>
#include <array>

#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

// The enumerators of BaseType that operators' arguments may have, in order.
constexpr std::array<std::string_view, 11> kBaseTypes = {
    "tensor",      "scalar", "integer", "floating",      "boolean", "string",
    "scalar_type", "layout", "device",  "memory_format", "object"};

class Fields {
 public:
  void add(const char* name, const std::string& value) {
    text_ += std::string(text_.empty() ? "." : ", .") + name + " = " + value;
  }
  void flag(const char* name, bool set) {
    if (set) add(name, "true");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// `{.base = BaseType::integer, .list = true}`; empty for a plain tensor.
std::string type_record(const Type& type) {
  Fields fields;
  if (type.base != BaseType::tensor) {
    fields.add("base", "BaseType::" + std::string(kBaseTypes[static_cast<size_t>(type.base)]));
  }
  fields.flag("list", type.list);
  fields.flag("optional", type.optional);
  fields.flag("element_optional", type.element_optional);
  if (type.size) fields.add("size", std::to_string(*type.size));
  if (type.alias && !type.alias->before.empty()) {
    fields.add("alias", "'" + type.alias->before[0].substr(0, 1) + "'");
  }
  fields.flag("written", type.is_mutated());
  if (!type.object.empty()) fields.add("object", quoted(std::string(type.object)));
  return fields.text().empty() ? "" : "{" + fields.text() + "}";
}

std::string argument_record(const Operator& op, const Argument& argument) {
  Fields fields;
  fields.add("name", quoted(argument.name));
  if (const std::string type = type_record(argument.type); !type.empty()) fields.add("type", type);
  if (argument.default_value) fields.add("default_value", quoted(argument.default_value->text));
  fields.flag("keyword_only", argument.keyword_only);
  fields.flag("number", takes_number(op, argument));
  if (const std::string_view role = argument_role(op, argument); role != "kPlain") {
    fields.add("role", "ArgRole::" + std::string(role));
  }
  return fields.text();
}

std::string return_record(const Return& result) {
  Fields fields;
  if (!result.name.empty()) fields.add("name", quoted(result.name));
  if (const std::string type = type_record(result.type); !type.empty()) fields.add("type", type);
  return fields.text();
}

template <class List, class Print>
void print_table(Printer& p, const Operator& op, const char* type, const char* what,
                 const List& list, Print print) {
  if (list.empty()) return;
  p.print({{"type", type}, {"id", op.name.identifier}, {"what", what}},
          "static constexpr $type$ $id$_$what$[] = {");
  for (const auto& item : list) p.print({{"item", print(item)}}, "    $item$,");
  p.print("};");
}

std::string_view form_of(const Operator& op) {
  switch (op.forms->form) {
    case Form::functional:
      return "kFunctional";
    case Form::inplace:
      return "kInplace";
    case Form::out:
      return "kOut";
    case Form::manual:
      break;
  }
  return "kManual";
}

}  // namespace

bool has_tag(const Operator& op, std::string_view tag) {
  return std::ranges::find(op.face->tags, tag) != op.face->tags.end();
}

const Operator* find_tagged(const Model& model, std::string_view tag) {
  for (const Operator* op : model.operators().all()) {
    if (op->forms->form == Form::functional && has_tag(*op, tag)) return op;
  }
  return nullptr;
}

bool takes_number(const Operator& op, const Argument& argument) {
  const auto index = static_cast<uint16_t>(&argument - op.schema.arguments.data());
  return !argument.type.is_mutated() &&
         std::ranges::find(op.face->numbers, index) != op.face->numbers.end();
}

std::string_view argument_role(const Operator& op, const Argument& argument) {
  switch (op.policies->role(static_cast<size_t>(&argument - op.schema.arguments.data()))) {
    case Role::dim:
      return "kDim";
    case Role::dims_or_all:
      return "kDimsOrAll";
    case Role::order:
      return "kOrder";
    case Role::new_dim:
      return "kNewDim";
    case Role::sizes:
      return "kSize";
    case Role::index:
      return "kIndex";
    case Role::training:
      return "kTraining";
    case Role::probability:
      return "kProbability";
    default:
      return "kPlain";
  }
}

void print_record_tables(Printer& p, const Operator& op) {
  const auto braced = [](const std::string& fields) { return "{" + fields + "}"; };
  print_table(p, op, "ArgumentRecord", "arguments", op.schema.arguments,
              [&](const Argument& a) { return braced(argument_record(op, a)); });
  print_table(p, op, "ReturnRecord", "returns", op.schema.returns,
              [&](const Return& r) { return braced(return_record(r)); });
  print_table(p, op, "std::string_view", "tags", op.face->tags,
              [](const std::string& tag) { return quoted(tag); });
}

std::string record_expression(const Operator& op) {
  Fields fields;
  const auto table = [&](const char* name, bool empty) {
    if (!empty) fields.add(name, op.name.identifier + "_" + name);
  };
  table("arguments", op.schema.arguments.empty());
  table("returns", op.schema.returns.empty());
  table("tags", op.face->tags.empty());
  if (op.forms->form != Form::functional)
    fields.add("form", "OperatorForm::" + std::string(form_of(op)));
  fields.flag("takes_complex", (op.selected->dtypes.bits & dtypes::kComplex) != 0);
  const auto form = [&](const char* name, const Operator* other) {
    if (other != nullptr && other->is_emitted())
      fields.add(name, "&ops::" + other->name.identifier + "::entry");
  };
  form("functional", op.forms->functional);
  form("inplace", op.forms->inplace);
  form("out", op.forms->out);
  return "{" + fields.text() + "}";
}

}  // namespace opweave::codegen
