// Layout: how the elements of a tensor lie, by layouts.def.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opweave {

enum class Layout : int8_t {
#define OW_LAYOUT(id, ...) k##id,
#include "dtypes/layouts.def"
};

// A line of layouts.def; the columns are described there.
struct LayoutInfo {
  std::string_view id, name;
  int dispatch;
};
inline constexpr LayoutInfo kLayouts[] = {
#define OW_LAYOUT(id, name, dispatch) {#id, #name, dispatch},
#include "dtypes/layouts.def"
};
inline constexpr int kNumLayouts = static_cast<int>(sizeof(kLayouts) / sizeof(*kLayouts));

constexpr const LayoutInfo& layout_info(Layout layout) {
  return kLayouts[static_cast<int>(layout)];
}
// The bits that layouts have reserved in dispatch key sets.
constexpr int kNumLayoutKeys = [] {
  int most = 0;
  for (const LayoutInfo& layout : kLayouts) most = layout.dispatch > most ? layout.dispatch : most;
  return most;
}();

inline void append_to(std::string& out, Layout layout) { out += layout_info(layout).name; }

}  // namespace opweave
