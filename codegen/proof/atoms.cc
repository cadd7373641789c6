// The table of atoms.
#include "codegen/proof/atoms.h"

#include <utility>

namespace opweave::codegen {

int NormalAtoms::get(const std::string& key, NormalAtom made) {
  auto [entry, is_new] = by_key_.emplace(key, static_cast<int>(known_.size()));
  if (is_new) known_.push_back(std::move(made));
  return entry->second;
}

bool NormalAtoms::is_uniform(const Polynomial& value) const {
  for (const auto& [monomial, coefficient] : value.terms()) {
    for (const auto& [index, exponent] : monomial) {
      if (!(*this)[index].uniform) return false;
    }
  }
  return true;
}

}  // namespace opweave::codegen
