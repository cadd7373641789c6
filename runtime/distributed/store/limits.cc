// Refusals of what is too large for a store, and keys as errors show them.
#include "runtime/distributed/store/limits.h"

#include <cstdio>

#include "runtime/core/base/error.h"

namespace opweave::distributed {
namespace {

constexpr size_t kShownBytes = 120;

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
    out += c;
    return;
  }
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02x", byte);
  out += text;
}

}  // namespace

std::string quoted(std::string_view key) {
  if (key.size() <= kShownBytes) return quoted_whole(key);
  std::string out = quoted_whole(key.substr(0, kShownBytes));
  out.insert(out.size() - 1, "…");
  return out;
}

std::string quoted_whole(std::string_view text) {
  std::string out = "'";
  for (char c : text) append_escaped(out, c);
  return out + "'";
}

void check_key(std::string_view key) {
  OW_CHECK_VALUE(key.size() <= kMaxKeyBytes, "the key ", quoted(key), " has ", key.size(),
                 " bytes; a store's keys have at most ", kMaxKeyBytes);
  OW_CHECK_VALUE(!key.starts_with(kReserved), "the key ", quoted(key),
                 " begins as those do that a store keeps for itself");
}

void check_value(std::string_view key, std::string_view value) {
  check_value_bytes(key, value.size());
}

void check_value_bytes(std::string_view key, size_t bytes) {
  OW_CHECK_VALUE(bytes <= kMaxValueBytes, "the value for key ", quoted(key), " has ", bytes,
                 " bytes; a store's values have at most ", kMaxValueBytes);
}

void check_count(size_t keys) {
  OW_CHECK_VALUE(keys <= kMaxKeysPerCall, "a call names ", keys,
                 " keys; one call of a store names at most ", kMaxKeysPerCall);
}

void check_keys(const std::vector<std::string>& keys) {
  check_count(keys.size());
  for (const std::string& key : keys) check_key(key);
}

void check_pairs(size_t keys, size_t values) {
  OW_CHECK_VALUE(keys == values, "multi_set expects as many values as keys, but got ", keys,
                 " keys and ", values, " values");
}

}  // namespace opweave::distributed
