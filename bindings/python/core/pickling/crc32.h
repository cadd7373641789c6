// The checksum of zip archives, several times as fast as zlib computes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opweave::python::pickling {

// The CRC-32 of bytes that follow those whose checksum is `crc` (0 for none). None where the
// processor cannot multiply polynomials.
std::optional<uint32_t> crc32(std::string_view bytes, uint32_t crc);

}  // namespace opweave::python::pickling
