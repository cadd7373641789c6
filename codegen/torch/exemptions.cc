// Looks the operators up.
#include "codegen/torch/exemptions.h"

#include <array>
#include <set>
#include <utility>

namespace opweave::codegen::torch {

bool is_exempt(Exemption rule, std::string_view name) {
  static const std::set<std::pair<Exemption, std::string_view>> kAll = {
#define OPWEAVE_TORCH_EXEMPT(rule, name) {Exemption::rule, name},
#include "codegen/torch/exemptions.def"
#undef OPWEAVE_TORCH_EXEMPT
  };
  return kAll.contains({rule, name});
}

}  // namespace opweave::codegen::torch
