// Encoding of paths (RFC 3986, unreserved characters and the slash stand for themselves).
#include "codegen/report/percent.h"

#include <fmt/format.h>

#include <cctype>

namespace opweave::codegen {

std::string percent_encoded(std::string_view path) {
  std::string encoded;
  for (char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 ||
                                       std::string_view("/._-~").find(c) != std::string_view::npos);
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

}  // namespace opweave::codegen
