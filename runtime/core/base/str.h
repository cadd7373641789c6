// str(a, b, …): concatenates values into a message. Light to include; used by every error check.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace opweave {

// A type takes part in str() by an overload of append_to found here or by argument-dependent
// lookup.
inline void append_to(std::string& out, std::string_view text) { out.append(text); }
inline void append_to(std::string& out, const char* text) { out.append(text); }
inline void append_to(std::string& out, const std::string& text) { out.append(text); }
inline void append_to(std::string& out, char c) { out.push_back(c); }
inline void append_to(std::string& out, bool value) { out.append(value ? "True" : "False"); }
void append_to(std::string& out, double value);  // shortest text that reads back the same

template <std::integral T>
requires(!std::same_as<T, bool> && !std::same_as<T, char>) void append_to(std::string& out,
                                                                          T value) {
  out.append(std::to_string(value));
}

// "[2, 3]"
void append_to(std::string& out, std::span<const int64_t> values);
inline void append_to(std::string& out, const std::vector<int64_t>& values) {
  append_to(out, std::span<const int64_t>(values));
}

template <class T>
void append_to(std::string& out, const std::optional<T>& value) {
  if (value) {
    append_to(out, *value);
  } else {
    out.append("None");
  }
}

template <class... Args>
std::string str(const Args&... args) {
  std::string out;
  (append_to(out, args), ...);
  return out;
}

}  // namespace opweave
