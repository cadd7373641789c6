// Builds the operators of a model out of the entries of ops.yaml, and the forms derived from them.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/model/declarations/storage.h"
#include "codegen/model/declarations/table.h"
#include "codegen/model/entries/draft.h"
#include "codegen/model/entries/target_entry.h"

namespace opweave::codegen {

class OperatorBuilder {
 public:
  OperatorBuilder(ModelStorage& storage, OperatorTable& table,
                  const std::vector<std::string>& known_targets, DiagnosticSink& sink)
      : storage_(storage), table_(table), known_targets_(known_targets), sink_(sink) {}

  // Takes the entries of one file in. Call link_forms when all files are in.
  void add(std::vector<OperatorEntry> entries, bool imported);
  // Adds a target to the operators for which it brings kernels.
  void add_target(const TargetEntry& target);
  // Finds the functional operators of in-place and out forms that have entries of their own, and
  // makes the forms that are derived.
  void link_forms();

  // In the order of the files. Stable from link_forms on.
  const std::vector<Draft>& drafts() const { return drafts_; }

 private:
  Operator& build(const OperatorEntry& entry, bool imported);
  void set_face(Operator& op, const OperatorEntry& entry);
  void check_method(const Operator& op, const std::vector<LocatedText>& variants);
  void set_implementation(Operator& op, const OperatorEntry& entry);
  // What serves all targets with what serves one, or in another way.
  void check_mix(const Operator& op, const std::vector<LocatedText>& words);
  void check_computes(const Operator& op, const std::vector<LocatedText>& words);
  void set_targets(Operator& op, const std::vector<LocatedText>& words);
  void set_roles(Operator& op, const OperatorEntry& entry);
  void set_numbers(Operator& op, const OperatorEntry& entry);
  void set_argument_dtypes(Operator& op, const OperatorEntry& entry);
  void set_nn_function(Operator& op, const OperatorEntry* entry);
  void check_nn_name(const Operator& op);
  int argument_index(const Operator& op, std::string_view name, Span span);
  int tensor_argument_index(const Operator& op, const LocatedText& name, std::string_view what);
  void insert(Operator& op, OperatorEntry* entry);

  void link(Operator& op);
  void link_elements(Operator& op);
  void report_disagreement(const Operator& op, const Operator& functional);
  void derive_forms(Operator& op, const OperatorEntry& entry);
  bool wants_inplace(const Operator& op, const OperatorEntry& entry);
  bool wants_out(const Operator& op, const OperatorEntry& entry);
  void derive_inplace(Operator& op);
  void derive_out(Operator& op);
  Operator& derived_form(Operator& op, Schema schema, Form form);
  Operator* find(std::string_view full_name);
  void wrong_form(const Operator& op, Span span, std::string message);

  ModelStorage& storage_;
  OperatorTable& table_;
  const std::vector<std::string>& known_targets_;
  DiagnosticSink& sink_;
  std::deque<OperatorEntry> entries_;
  std::vector<Draft> drafts_;
  std::unordered_map<std::string_view, Operator*> by_name_;
  std::unordered_map<std::string, const Operator*> identifiers_;
  std::unordered_map<std::string, const Operator*> nn_names_;
};

}  // namespace opweave::codegen
