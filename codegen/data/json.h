// JSON whose keys stay in the order in which they were written, so that a document is the same text
// each time.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace opweave::codegen::data {

using Json = nlohmann::ordered_json;

// What is said only where it holds: readers take it as false.
inline void add_flag(Json& to, const char* key, bool set) {
  if (set) to[key] = true;
}

// The same for places, which are none where they are not said.
inline void add_places(Json& to, const char* key, const std::vector<uint16_t>& places) {
  if (!places.empty()) to[key] = places;
}

template <class List, class Data>
Json list_of(const List& list, Data data) {
  Json items = Json::array();
  for (const auto& item : list) items.push_back(data(item));
  return items;
}

}  // namespace opweave::codegen::data
