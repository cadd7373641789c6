// Mutants as JSON.
#include "codegen/report/mutants.h"

#include <nlohmann/json.hpp>

#include "codegen/model/mutants/equivalence.h"

namespace opweave::codegen {

std::string mutants_report(const Model& model) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Operator* op : model.operators().all()) {
    // A derived backward operator is part of the entry that it was derived from.
    const Operator& entry = op->origin.gradient_of != nullptr ? *op->origin.gradient_of : *op;
    for (const Mutant& mutant : model.mutants().of(*op)) {
      const Position place = mutant.span.source->position(mutant.span.begin);
      list.push_back({{"id", mutant.id},
                      {"operator", entry.name.full},
                      {"where", op->is_generated() ? op->name.full : mutant.where},
                      {"file", mutant.span.source->path()},
                      {"line", place.line},
                      {"column", place.column},
                      {"change", mutant.change},
                      {"equal", is_proved_equal(*op, mutant)}});
    }
  }
  return list.dump(1) + "\n";
}

}  // namespace opweave::codegen
