// Counts what an answer costs.
#include "codegen/shapes/effort.h"

namespace opweave::codegen {

void Effort::spend_elements(int64_t count) {
  if (count > 0) spend(static_cast<size_t>(count));
}

void Effort::spend(const Value& value) {
  size_t units = 1;
  if (const auto* size = value.as<Size>()) units += size->term_count();
  if (const auto* sizes = value.as<Sizes>()) units += sizes->size();
  if (const auto* values = value.as<Values>()) units += values->size();
  if (const auto* text = value.as<std::string>()) units += text->size();
  spend(units);
}

}  // namespace opweave::codegen
