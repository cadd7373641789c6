// Counts what an answer costs.
#include "codegen/shapes/effort.h"

#include <fmt/format.h>

namespace opweave::codegen {

void Effort::spend(size_t units) {
  if (depth_ == 0) return;
  if (units > left_) {
    throw NoShape{
        fmt::format("working out the sizes takes more than {} steps or list elements", kMost),
        NoShape::Kind::unknown};
  }
  left_ -= units;
}

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
