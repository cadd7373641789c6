// How programs see operators: from the keys of their entries.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

// Of all operators, those of functional forms first: others ask for the names of theirs.
class Faces {
 public:
  explicit Faces(DiagnosticSink& sink) : sink_(sink) {}

  Face make(const Operator& op, const OperatorEntry& entry);
  // Of a form that is derived: what the functional form has.
  Face derive(const Operator& form);

 private:
  void set_variants(Face& face, const Operator& op, const OperatorEntry& entry);
  void check_method(const Operator& op, const std::vector<LocatedText>& variants);
  std::vector<uint16_t> numbers_of(const Operator& op, const OperatorEntry& entry);
  std::optional<NnFunction> nn_function_of(const Operator& op, const Face& face,
                                           const OperatorEntry* entry);
  void check_nn_name(const Operator& op, const Face& face);

  DiagnosticSink& sink_;
  std::unordered_map<std::string, const Operator*> nn_names_;
};

}  // namespace opweave::codegen
