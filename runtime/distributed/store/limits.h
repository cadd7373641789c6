// How large keys, values and calls may be, the same in every store; what is larger is refused by
// name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::distributed {

inline constexpr size_t kMaxKeyBytes = size_t{64} << 10;
inline constexpr size_t kMaxValueBytes = size_t{64} << 20;
// Of one call: wait, check, multi_get, multi_set.
inline constexpr size_t kMaxKeysPerCall = size_t{128} << 10;
// Of one store, queues among them, and of one queue.
inline constexpr size_t kMaxKeys = size_t{16} << 20;

// Stores keep their own counters under keys that begin so. They are counted by num_keys, as
// PyTorch does, and not listed; users cannot name them.
inline constexpr std::string_view kReserved{"\0opweave/", 9};

// A key as errors show it: quoted, bytes that do not print escaped, cut where it is long.
std::string quoted(std::string_view key);
// The same of what is short enough to be shown whole: a path, a host.
std::string quoted_whole(std::string_view text);

void check_key(std::string_view key);
void check_value(std::string_view key, std::string_view value);
// The size of a value that is made of two.
void check_value_bytes(std::string_view key, size_t bytes);
void check_count(size_t keys);
// How many there are, and each of them.
void check_keys(const std::vector<std::string>& keys);
// multi_set: a value for each key.
void check_pairs(size_t keys, size_t values);

}  // namespace opweave::distributed
