// Sets of dtypes by the names of groups and dtypes.
#include "codegen/emit/text/dtypes.h"

#include <bit>

#include "codegen/emit/text/comma_list.h"

namespace opweave::codegen {

std::vector<std::string_view> dtypes_of(DtypeMask dtypes) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (contains(dtypes, dtype)) names.push_back(dtype_name(dtype));
  }
  return names;
}

std::string dtype_names(DtypeMask dtypes) {
  return comma_list(dtypes_of(dtypes), [](std::string_view name) { return name; });
}

std::string dtype_mask(DtypeMask dtypes) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : " | ") + part; };
  // The largest group that fits, as long as it says more than one name would.
  while (true) {
    const DtypeGroup* largest = nullptr;
    for (const DtypeGroup& group : kDtypeGroups) {
      const bool fits = (group.dtypes & ~dtypes) == 0 && std::popcount(group.dtypes) > 1;
      const bool larger =
          largest == nullptr || std::popcount(group.dtypes) > std::popcount(largest->dtypes);
      if (fits && larger) largest = &group;
    }
    if (largest == nullptr) break;
    add(std::string(largest->constant));
    dtypes &= ~largest->dtypes;
  }
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (contains(dtypes, dtype)) add("dtype_bit(k" + std::string(scalar_type_name(dtype)) + ")");
  }
  return text.empty() ? "0" : text;
}

}  // namespace opweave::codegen
