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
#include "codegen/model/operators/faces.h"

namespace opweave::codegen {

class OperatorBuilder {
 public:
  OperatorBuilder(ModelStorage& storage, OperatorTable& table,
                  const std::vector<std::string>& known_targets, DiagnosticSink& sink)
      : storage_(storage),
        table_(table),
        known_targets_(known_targets),
        sink_(sink),
        faces_(sink) {}

  // Takes the entries of one file in.
  void add(std::vector<OperatorEntry> entries, bool imported);
  // Adds a target to the operators for which it brings kernels.
  void add_target(const TargetEntry& target);
  // When all files are in: finds the functional operators of in-place and out forms that have
  // entries of their own, makes the forms that are derived, and gives each operator the parts that
  // entries say, from `computation` to `tests`.
  void complete();

  // In the order of the files, each followed by the forms derived from it. Stable from complete on.
  const std::vector<Draft>& drafts() const { return drafts_; }

 private:
  void insert(Operator& op, OperatorEntry* entry);
  Operator* find(std::string_view full_name);
  void describe(const Draft& draft);

  void link_forms();
  void link(const Operator& op);
  void link_elements(const Operator& op);
  void report_disagreement(const Operator& op, const Operator& functional);
  void derive_forms(const Operator& op, const OperatorEntry& entry);
  bool wants_inplace(const Operator& op, const OperatorEntry& entry);
  bool wants_out(const Operator& op, const OperatorEntry& entry);
  const Operator* derive_inplace(const Operator& op);
  const Operator* derive_out(const Operator& op);
  const Operator* derived_form(const Operator& op, Schema schema, Form form);
  void wrong_form(const Operator& op, Span span, std::string message);

  ModelStorage& storage_;
  OperatorTable& table_;
  const std::vector<std::string>& known_targets_;
  DiagnosticSink& sink_;
  Faces faces_;
  std::deque<OperatorEntry> entries_;
  std::vector<Draft> drafts_;
  std::unordered_map<std::string_view, Operator*> by_name_;
  std::unordered_map<std::string, const Operator*> identifiers_;
  // What files may still add to.
  std::unordered_map<const Operator*, Computation> computations_;
  std::unordered_map<const Operator*, Forms> forms_;
};

}  // namespace opweave::codegen
