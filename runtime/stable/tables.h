// Reads the tables of a library, which may be of an older or a newer release.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

// A struct that begins with its size: members that the library does not have are 0, those that only
// it has are left out.
template <class T>
T read(const T& given) {
  T known{};
  std::memcpy(&known, &given, std::min<size_t>(given.size, sizeof(T)));
  return known;
}

template <class T>
std::span<const T> list(const T* first, uint32_t count) {
  return {first, first == nullptr ? 0 : count};
}

}  // namespace opweave::stable
