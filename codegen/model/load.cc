// The way from input files to a model.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/model/declarations/storage.h"
#include "codegen/model/entries/object_entry.h"
#include "codegen/model/gradients/digit_search.h"
#include "codegen/model/gradients/gradients.h"
#include "codegen/model/gradients/kernel_statements.h"
#include "codegen/model/lowered/lowered.h"
#include "codegen/model/model.h"
#include "codegen/model/mutants/mutants.h"
#include "codegen/model/operators/builder.h"
#include "codegen/model/operators/call_checks.h"
#include "codegen/model/operators/composite_views.h"
#include "codegen/model/operators/limits.h"
#include "codegen/model/operators/name_checks.h"
#include "codegen/model/operators/native_kernels.h"
#include "codegen/model/operators/python_names.h"
#include "codegen/model/operators/python_operator_checks.h"
#include "codegen/model/operators/python_overloads.h"
#include "codegen/model/operators/role_checks.h"
#include "codegen/model/rules/rule_checker.h"
#include "codegen/model/samples/sample_checks.h"
#include "codegen/model/selection/selection.h"
#include "schema/object_types.h"

namespace opweave::codegen {
namespace {

class Loader {
 public:
  Loader(Inputs inputs, std::shared_ptr<Sources> sources)
      : inputs_(std::move(inputs)),
        storage_(std::make_shared<ModelStorage>()),
        builder_(*storage_, table_, inputs_.known_targets, sink_) {
    storage_->sources = std::move(sources);
    storage_->keeps_written = inputs_.mutants;
  }

  // The one place where operators are put together: each pass gives all of them the parts that are
  // named behind it (declarations/operator.h), by those that they have already.
  std::shared_ptr<const Model> load() {
    if (!read()) return nullptr;
    builder_.complete();  // computation, forms, face, policies, tests
    check_described();
    Expressions expressions(*storage_, table_, drafts(), sink_);
    expressions.check_all();                               // elements, dtypes, formulas
    check_rules(*storage_, drafts(), expressions, sink_);  // rule
    check_composite_views(drafts(), sink_);
    check_calls(drafts(), sink_);
    differentiate(expressions);  // gradient
    check_complete();
    if (!sink_.has_errors()) select();  // selected
    if (sink_.has_errors()) return nullptr;
    Mutants mutants = inputs_.mutants ? make_mutants(*storage_, expressions) : Mutants();
    auto lowered = lower(*storage_);  // lowered
    return std::make_shared<const Model>(
        Model::Contents{storage_, std::move(lowered), std::move(table_), std::move(targets_),
                        std::move(selection_), std::move(objects_), std::move(mutants)});
  }

  // `sink` gets what was found, but for what follows from something else that it gets.
  void report(DiagnosticSink& sink) const {
    const size_t without_gradient =
        inputs_.derivatives.empty()
            ? std::ranges::count(sink_.all(), Code::no_gradient_statement, &Diagnostic::code)
            : 0;
    const bool file_lacks = without_gradient > kFew;
    if (file_lacks) report_lacking_file(without_gradient, sink);
    for (const Diagnostic& found : sink_.all()) {
      if (follows_from_loss(found)) continue;
      if (file_lacks && found.code == Code::no_gradient_statement) continue;
      const bool is_error = found.severity == Severity::error;
      (is_error ? sink.error(found.code, found.span, found.message)
                : sink.warning(found.code, found.span, found.message)) = found;
    }
  }

 private:
  // So many entries without a gradient are mistakes of their own.
  static constexpr size_t kFew = 3;

  // More of them, and no file that says it: one report for all.
  void report_lacking_file(size_t count, DiagnosticSink& sink) const {
    const auto first =
        std::ranges::find(sink_.all(), Code::no_gradient_statement, &Diagnostic::code);
    sink.error(Code::no_gradient_statement, first->span,
               fmt::format("{} operators, of which this is the first, do not say how they are "
                           "differentiated, and no derivatives.yaml was read",
                           count))
        .note({}, "name it: --derivatives FILE; opweave check finds the one beside ops.yaml");
  }

  // Without a file of operators everything that follows would be said to be unknown.
  void parse_derivatives() {
    for (InputFile& file : inputs_.derivatives) {
      const Source* source = nullptr;
      parse(file, source);
    }
  }

  const YamlNode* parse(InputFile& file, const Source*& source) {
    source = storage_->sources->add(std::move(file.path), std::move(file.text));
    return parse_yaml(*source, storage_->yaml, sink_);
  }

  const std::vector<Draft>& drafts() const { return builder_.drafts(); }

  // False if nothing can be made of the files.
  bool read() {
    schema::forget_declared_object_types();
    // Types of objects first: schemas of every file may use them.
    const Parsed imported = parse_operators(inputs_.imported_ops, true);
    const Parsed own = parse_operators(inputs_.ops, false);
    read_operators(imported, true);
    read_operators(own, false);
    if (files_lost_) return parse_derivatives(), false;
    if (!check_limits(drafts(), sink_)) return false;
    read_targets(inputs_.built_in_targets);
    targets_ = read_targets(inputs_.targets);
    return true;
  }

  using Parsed = std::vector<std::pair<const YamlNode*, const Source*>>;

  Parsed parse_operators(std::vector<InputFile>& files, bool imported) {
    Parsed parsed;
    for (InputFile& file : files) {
      const Source* source = nullptr;
      const YamlNode* root = parse(file, source);
      if (root == nullptr) {
        files_lost_ = true;
        continue;
      }
      read_object_entries(*root, imported, objects_, sink_);
      parsed.emplace_back(root, source);
    }
    return parsed;
  }

  void read_operators(const Parsed& files, bool imported) {
    for (const auto& [root, source] : files) {
      builder_.add(read_operator_entries(*root, *source, lost_, sink_), imported);
    }
  }

  // Their kernels become the operators'; their names are returned.
  std::vector<std::string> read_targets(std::vector<InputFile>& files) {
    std::vector<std::string> names;
    for (InputFile& file : files) {
      const Source* source = nullptr;
      const YamlNode* root = parse(file, source);
      if (root == nullptr) continue;
      if (const std::optional<TargetEntry> target = read_target_entry(*root, *source, sink_)) {
        check_target_name(target->name, sink_);
        builder_.add_target(*target);
        names.emplace_back(target->name.text);
      }
    }
    return names;
  }

  void check_described() {
    if (inputs_.natives_required)
      check_natives(drafts(), inputs_.known_targets, !inputs_.built_in_targets.empty(), sink_);
    check_python_operators(drafts(), !inputs_.imported_ops.empty(), sink_);
  }

  void differentiate(Expressions& expressions) {
    Gradients gradients(*storage_, table_, drafts(), expressions, sink_);
    read_derivatives(gradients);
    gradients.complete(inputs_.imported_differentiated);
    check_kernel_statements(drafts(), sink_);
  }

  void read_derivatives(Gradients& gradients) {
    for (InputFile& file : inputs_.imported_derivatives) {
      const Source* source = nullptr;
      if (const YamlNode* root = parse(file, source))
        gradients.add_imported(read_derivative_entries(*root, *source, sink_));
    }
    for (InputFile& file : inputs_.derivatives) {
      const Source* source = nullptr;
      if (const YamlNode* root = parse(file, source)) {
        gradients.add(read_derivative_entries(*root, *source, sink_));
      } else {
        derivatives_lost_ = true;
      }
    }
  }

  // An operator whose schema could not be read is missed wherever it is named.
  bool follows_from_loss(const Diagnostic& d) const {
    if (derivatives_lost_ && d.code == Code::no_gradient_statement) return true;
    const bool about_calls = d.code == Code::unknown_function || d.code == Code::unknown_operator ||
                             d.code == Code::wrong_arguments || d.code == Code::ambiguous_call;
    const auto names = [&d](const std::string& missed) {
      return d.message.find("'" + missed + "'") != std::string::npos;
    };
    return about_calls && std::ranges::any_of(lost_, [&](const std::string& name) {
             return names(name) || names(name.substr(0, name.find('.')));
           });
  }

  void check_complete() {
    check_case(table_, sink_);
    if (inputs_.operands_limited) check_operands(table_, sink_);
    check_python_names(drafts(), sink_);
    check_python_overloads(table_.all(), sink_);
    // Roles and samples are asked for when everything else is right.
    if (inputs_.rules_required && !sink_.has_errors()) check_rules_given(drafts(), sink_);
    if (!inputs_.samples_required) return;
    if (!sink_.has_errors()) check_all_roles();
    if (!sink_.has_errors()) check_samples(drafts(), sink_);
    if (!sink_.has_errors()) check_digits(table_.all(), sink_);
  }

  void check_all_roles() {
    for (const Draft& draft : drafts()) {
      if (draft.entry) check_roles(*draft.op, sink_);
    }
  }

  void select() {
    SelectedOperators selected;
    for (InputFile& file : inputs_.selection) {
      const std::string name = file.path;
      const Source* source = nullptr;
      const YamlNode* root = parse(file, source);
      if (root == nullptr) continue;
      const std::optional<SelectionEntry> entry = read_selection(*root, *source, sink_);
      if (!entry) continue;
      selected = apply_selection(*entry, read_kernel_calls(inputs_.kernel_calls), table_, sink_);
      if (entry->all && !entry->dtypes && entry->gradients) continue;  // everything after all
      selection_ = Selection{name.substr(name.rfind('/') + 1), entry->gradients};
    }
    for (Operator& op : storage_->operators) {
      const auto found = selected.find(&op);
      const bool limited = found != selected.end();
      op.selected.give(limited ? found->second : Selected{.dtypes = op.dtypes->computed});
    }
  }

  Inputs inputs_;
  std::shared_ptr<ModelStorage> storage_;
  OperatorTable table_;
  std::vector<ObjectDeclaration> objects_;
  std::vector<std::string> targets_;
  std::optional<Selection> selection_;
  bool files_lost_ = false;
  bool derivatives_lost_ = false;  // a file of them that could not be read
  std::vector<std::string> lost_;  // names of entries whose schema could not be read
  DiagnosticSink sink_;
  OperatorBuilder builder_;
};

}  // namespace

std::shared_ptr<const Model> load_model(Inputs inputs, std::shared_ptr<Sources> sources,
                                        DiagnosticSink& sink) {
  Loader loader(std::move(inputs), std::move(sources));
  std::shared_ptr<const Model> model = loader.load();
  loader.report(sink);
  return model;
}

}  // namespace opweave::codegen
