// Compares the operators of two tables, PyTorch's and ours.
#include "codegen/torch/parity.h"

#include <algorithm>

namespace opweave::codegen::torch {
namespace {

bool has(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// PyTorch's convention: a leading underscore is private; `__and__` is a method of Python.
bool is_private(std::string_view name) { return name.starts_with('_') && !name.starts_with("__"); }

bool is_gradient(std::string_view name) { return name.find("_backward") != std::string_view::npos; }

// Kernels for some hardware or layout, and none that any tensor can use.
bool is_for_one_backend(const NativeFunction& function) {
  return !function.dispatch_keys.empty() && !function.is_structured &&
         std::ranges::none_of(function.dispatch_keys, [](std::string_view key) {
           return key == "CPU" || key == "Meta" || key.starts_with("Composite");
         });
}

std::string group_of(const NativeFunction& function) {
  const std::string_view name = function.schema.base_name;
  if (is_private(name)) return "private";
  if (is_gradient(name)) return "gradients";
  if (is_for_one_backend(function)) return "one backend";
  if (has(function.tags, "view_copy")) return "copies of views";
  return function.python_module.empty() ? "torch" : std::string(function.python_module);
}

bool is_form(const Schema& schema) {
  return std::ranges::any_of(schema.arguments, [](const Argument& argument) {
    return argument.type.is_mutated() && (argument.keyword_only || argument.name == "self");
  });
}

Effort effort_of(const NativeFunction& function) {
  if (is_form(function.schema)) return Effort::form;
  if (has(function.tags, "pointwise")) return Effort::pointwise;
  const bool composite =
      function.dispatch_keys.empty()
          ? !function.is_structured
          : std::ranges::all_of(function.dispatch_keys, [](std::string_view key) {
              return key.starts_with("CompositeImplicit");
            });
  return composite ? Effort::composite : Effort::kernel;
}

class Comparison {
 public:
  Comparison(const NativeFunctions& functions, const Model& model)
      : functions_(functions), table_(model.operators()) {}

  ParityRow row(const NativeFunction& function) const {
    ParityRow row;
    row.native = &function;
    row.group = group_of(function);
    row.effort = effort_of(function);
    row.is_core = has(function.tags, "core");
    if (const Operator* own = find(function.full_name)) {
      row.own = own;
      row.differences = differences(function.schema, own->schema);
      row.parity = row.differences.empty() ? Parity::same : Parity::different;
    } else if (const OperatorFamily* family = table_.family(function.schema.base_name)) {
      row.own = renamed(function, *family);
      row.parity = row.own ? Parity::renamed : Parity::lacks_overload;
    }
    return row;
  }

 private:
  const Operator* find(std::string_view full_name) const {
    const Operator* op = table_.find(full_name);
    return op && is_ours(*op) ? op : nullptr;
  }
  static bool is_ours(const Operator& op) { return !op.is_generated() && !op.origin.imported; }

  // An overload with the same schema whose name PyTorch does not know.
  const Operator* renamed(const NativeFunction& function, const OperatorFamily& family) const {
    for (const Operator* op : family.overloads) {
      if (!is_ours(*op) || functions_.find(op->name.full)) continue;
      if (differences(function.schema, op->schema).empty()) return op;
    }
    return nullptr;
  }

  const NativeFunctions& functions_;
  const OperatorTable& table_;
};

}  // namespace

std::string_view parity_name(Parity parity) {
  constexpr std::string_view kNames[] = {"same", "renamed", "different", "lacks an overload",
                                         "lacks"};
  return kNames[static_cast<size_t>(parity)];
}

std::string_view effort_name(Effort effort) {
  constexpr std::string_view kNames[] = {"pointwise", "composite", "kernel", "form"};
  return kNames[static_cast<size_t>(effort)];
}

std::vector<ParityRow> compare_operators(const NativeFunctions& functions, const Model& model) {
  const Comparison comparison(functions, model);
  std::vector<ParityRow> rows;
  for (const NativeFunction& function : functions.all()) rows.push_back(comparison.row(function));
  return rows;
}

}  // namespace opweave::codegen::torch
