// The way from input files to a model.
#include <fmt/format.h>

#include <utility>

#include "codegen/model/entries/object_entry.h"
#include "codegen/model/gradients/gradients.h"
#include "codegen/model/gradients/kernel_statements.h"
#include "codegen/model/model.h"
#include "codegen/model/mutants/mutants.h"
#include "codegen/model/operators/builder.h"
#include "codegen/model/operators/call_checks.h"
#include "codegen/model/operators/limits.h"
#include "codegen/model/operators/name_checks.h"
#include "codegen/model/operators/python_operator_checks.h"
#include "codegen/model/operators/python_overloads.h"
#include "codegen/model/operators/roles.h"
#include "codegen/model/rules/rule_checker.h"
#include "codegen/model/samples/sample_checks.h"
#include "codegen/model/selection/selection.h"
#include "codegen/model/storage.h"
#include "schema/object_types.h"

namespace opweave::codegen {
namespace {

class Loader {
 public:
  Loader(Inputs inputs, std::shared_ptr<Sources> sources, DiagnosticSink& sink)
      : inputs_(std::move(inputs)),
        storage_(std::make_shared<ModelStorage>()),
        sink_(sink),
        builder_(*storage_, table_, inputs_.known_targets, sink) {
    storage_->sources = std::move(sources);
    storage_->keeps_written = inputs_.mutants;
  }

  std::shared_ptr<const Model> load() {
    schema::forget_declared_object_types();
    // Types of objects first: schemas of every file may use them.
    const Parsed imported = parse_operators(inputs_.imported_ops, true);
    const Parsed own = parse_operators(inputs_.ops, false);
    read_operators(imported, true);
    read_operators(own, false);
    if (!check_limits(builder_.drafts(), sink_)) return nullptr;
    read_targets();
    builder_.link_forms();
    set_python_operators(builder_.drafts(), !inputs_.imported_ops.empty(), sink_);
    Expressions expressions(*storage_, table_, builder_.drafts(), sink_);
    expressions.check_all();
    check_rules(*storage_, builder_.drafts(), expressions, sink_);
    check_calls(builder_.drafts(), sink_);
    Gradients gradients(*storage_, table_, builder_.drafts(), expressions, sink_);
    read_derivatives(gradients);
    gradients.complete();
    finish_forms();
    check_kernel_statements(builder_.drafts(), sink_);
    check_case(table_, sink_);
    check_python_overloads(table_.all(), sink_);
    // Roles and samples are asked for when everything else is right.
    if (inputs_.rules_required && !sink_.has_errors()) check_rules_given(builder_.drafts(), sink_);
    if (inputs_.samples_required && !sink_.has_errors()) check_all_roles();
    if (inputs_.samples_required && !sink_.has_errors()) check_samples(builder_.drafts(), sink_);
    if (!sink_.has_errors()) select();
    if (sink_.has_errors()) return nullptr;
    if (inputs_.mutants) add_mutants(*storage_, expressions);
    return std::make_shared<const Model>(storage_, std::move(table_), std::move(targets_),
                                         std::move(selection_), std::move(objects_));
  }

 private:
  const YamlNode* parse(InputFile& file, const Source*& source) {
    source = storage_->sources->add(std::move(file.path), std::move(file.text));
    return parse_yaml(*source, storage_->yaml, sink_);
  }

  using Parsed = std::vector<std::pair<const YamlNode*, const Source*>>;

  Parsed parse_operators(std::vector<InputFile>& files, bool imported) {
    Parsed parsed;
    for (InputFile& file : files) {
      const Source* source = nullptr;
      if (const YamlNode* root = parse(file, source)) {
        read_object_entries(*root, imported, objects_, sink_);
        parsed.emplace_back(root, source);
      }
    }
    return parsed;
  }

  void read_operators(const Parsed& files, bool imported) {
    for (const auto& [root, source] : files) {
      builder_.add(read_operator_entries(*root, *source, sink_), imported);
    }
  }

  void read_targets() {
    for (InputFile& file : inputs_.targets) {
      const Source* source = nullptr;
      const YamlNode* root = parse(file, source);
      if (root == nullptr) continue;
      if (const std::optional<TargetEntry> target = read_target_entry(*root, *source, sink_)) {
        builder_.add_target(*target);
        targets_.emplace_back(target->name.text);
      }
    }
  }

  void read_derivatives(Gradients& gradients) {
    for (InputFile& file : inputs_.derivatives) {
      const Source* source = nullptr;
      if (const YamlNode* root = parse(file, source)) {
        gradients.add(read_derivative_entries(*root, *source, sink_));
      }
    }
  }

  void check_all_roles() {
    for (const Draft& draft : builder_.drafts()) {
      if (draft.entry) check_roles(*draft.op, sink_);
    }
  }

  void select() {
    for (InputFile& file : inputs_.selection) {
      const std::string name = file.path;
      const Source* source = nullptr;
      const YamlNode* root = parse(file, source);
      if (root == nullptr) continue;
      const std::optional<SelectionEntry> entry = read_selection(*root, *source, sink_);
      if (!entry) continue;
      std::vector<Operator*> operators;
      for (Operator& op : storage_->operators) operators.push_back(&op);
      apply_selection(*entry, read_kernel_calls(inputs_.kernel_calls), table_, operators, sink_);
      if (entry->all && !entry->dtypes && entry->gradients) continue;  // everything after all
      selection_ = Selection{name.substr(name.rfind('/') + 1), entry->gradients};
    }
  }

  // What the functional form has learned since its other forms were made.
  void finish_forms() {
    for (const Draft& draft : builder_.drafts()) {
      Operator& op = *draft.op;
      if (op.form != Form::inplace && op.form != Form::out) continue;
      const Operator& functional = *op.functional;
      if (!op.derivative && op.differentiability == Differentiability::none) {
        op.derivative = functional.derivative;
        op.differentiability = functional.differentiability;
      }
      if (draft.entry) continue;
      op.rule = functional.rule;
      op.dtypes = functional.dtypes;
      op.expr = functional.expr;
      op.promotion = functional.promotion;
      op.element_arguments = functional.element_arguments;
      if (op.expr) op.element_arguments.resize(op.schema.arguments.size());
    }
  }

  Inputs inputs_;
  std::shared_ptr<ModelStorage> storage_;
  OperatorTable table_;
  std::vector<ObjectDeclaration> objects_;
  std::vector<std::string> targets_;
  std::optional<Selection> selection_;
  DiagnosticSink& sink_;
  OperatorBuilder builder_;
};

}  // namespace

std::shared_ptr<const Model> load_model(Inputs inputs, std::shared_ptr<Sources> sources,
                                        DiagnosticSink& sink) {
  return Loader(std::move(inputs), std::move(sources), sink).load();
}

}  // namespace opweave::codegen
