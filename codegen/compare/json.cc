// Changes as JSON.
#include <nlohmann/json.hpp>

#include "codegen/compare/changes.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

std::string_view kind_name(Change::Kind kind) {
  constexpr std::string_view names[] = {"added", "removed", "changed"};
  return names[static_cast<int>(kind)];
}

Json audiences(uint8_t breaks) {
  constexpr std::pair<Audience, std::string_view> names[] = {{Audience::python, "python"},
                                                             {Audience::cpp, "cpp"},
                                                             {Audience::saved, "saved"},
                                                             {Audience::libraries, "libraries"}};
  Json list = Json::array();
  for (const auto& [audience, name] : names) {
    if (breaks & static_cast<uint8_t>(audience)) list.push_back(name);
  }
  return list;
}

}  // namespace

std::string json_changes(const std::vector<Change>& changes) {
  Json list = Json::array();
  size_t breaking = 0;
  for (const Change& change : changes) {
    breaking += change.breaks != 0;
    list.push_back({{"operator", change.op},
                    {"kind", kind_name(change.kind)},
                    {"what", change.what.empty() ? Json(nullptr) : Json(change.what)},
                    {"breaks", audiences(change.breaks)},
                    {"internal", change.internal}});
  }
  const Json report = {{"version", 1},
                       {"tool", "opweave"},
                       {"breaking", breaking},
                       {"version_part", version_name(verdict(changes))},
                       {"changes", list}};
  return report.dump(2) + "\n";
}

}  // namespace opweave::codegen
