// Schemas of operators that are in no file.
#include <algorithm>
#include <set>

#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {
namespace {

// What is written as a result.
Argument out_argument(std::string name, Type type, std::optional<schema::Alias> alias) {
  Argument argument;
  argument.name = std::move(name);
  argument.type = std::move(type);
  argument.type.alias = std::move(alias);
  argument.keyword_only = true;
  return argument;
}

class GeneratedSchema {
 public:
  GeneratedSchema(const NativeFunction& base, const OperatorName& name, SchemaKind kind)
      : base_(base), parts_(*base.parts) {
    schema_.base_name = name.without_overload();
    schema_.overload_name = name.overload;
    schema_.name_span = base.schema.name_span;
    kind == SchemaKind::functional ? make_functional() : make_out();
    schema_.returns_parenthesised = schema_.returns.size() != 1;
  }

  Schema take() { return std::move(schema_); }

 private:
  void make_out() {
    const bool is_functional = base_.kind == SchemaKind::functional;
    add_inputs(is_functional, is_functional);
    if (base_.kind == SchemaKind::in_place) {
      add_out_of_self();
    } else {
      add_outs();
    }
  }

  // What is written is returned instead.
  void make_functional() {
    add_inputs(true, true);
    for (Return result : base_.schema.returns) {
      result.type.alias.reset();
      schema_.returns.push_back(std::move(result));
    }
    if (parts_.self) add_written(*parts_.self);
    for (const Argument* argument : parts_.out) add_written(*argument);
    for (const Argument* argument : parts_.after_self) add_written(*argument);
  }

  void add_written(const Argument& argument) {
    const auto returns_it = [&](const Return& r) { return r.type.alias == argument.type.alias; };
    if (!argument.type.is_mutated() || std::ranges::any_of(base_.schema.returns, returns_it))
      return;
    Return result;
    result.name = argument.name + "_out";
    result.type = argument.type;
    result.type.alias.reset();
    schema_.returns.push_back(std::move(result));
  }

  void add_inputs(bool without_aliases, bool without_options) {
    for (const Argument& argument : base_.schema.arguments) {
      const bool is_option = std::ranges::find(parts_.options, &argument) != parts_.options.end();
      const bool is_out = std::ranges::find(parts_.out, &argument) != parts_.out.end();
      if (is_out || (is_option && without_options)) continue;
      const bool is_self = base_.kind == SchemaKind::in_place && &argument == parts_.self;
      Argument& input = schema_.arguments.emplace_back(argument);
      if (without_aliases || is_self) input.type.alias.reset();
    }
  }

  void add_out_of_self() {
    const Type& type = parts_.self->type;
    schema_.arguments.push_back(out_argument("out", type, type.alias));
    schema_.returns = base_.schema.returns;
  }

  // An `out` for each tensor; they are returned if all results are plain tensors.
  void add_outs() {
    const auto& returns = base_.schema.returns;
    const bool all_plain = std::ranges::all_of(
        returns, [](const Return& r) { return r.type.is_tensor() && !r.type.optional; });
    const std::vector<std::string> free = free_names();
    for (size_t i = 0; i < returns.size(); ++i) {
      if (!returns[i].type.is_tensor_like()) {
        schema_.returns.push_back(returns[i]);
        continue;
      }
      const schema::Alias alias{.before = {free[i % free.size()]}, .after = {}, .write = true};
      const std::string name = returns.size() == 1 ? "out" : "out" + std::to_string(i);
      schema_.arguments.push_back(out_argument(name, returns[i].type, alias));
      Return result;
      result.type = schema_.arguments.back().type;
      if (all_plain) schema_.returns.push_back(std::move(result));
    }
  }

  // Letters that no alias annotation has.
  std::vector<std::string> free_names() const {
    std::set<std::string> used;
    for (const Argument& argument : base_.schema.arguments) {
      if (argument.type.alias)
        used.insert(argument.type.alias->before.begin(), argument.type.alias->before.end());
    }
    std::vector<std::string> free;
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      if (!used.contains(std::string(1, letter))) free.emplace_back(1, letter);
    }
    if (free.empty()) free.emplace_back("a");
    return free;
  }

  const NativeFunction& base_;
  const SchemaParts& parts_;
  Schema schema_;
};

}  // namespace

Schema generated_schema(const NativeFunction& base, const OperatorName& name, SchemaKind kind) {
  return GeneratedSchema(base, name, kind).take();
}

}  // namespace opweave::codegen::torch
