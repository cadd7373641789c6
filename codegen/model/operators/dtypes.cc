// Names and groups of dtypes.
#include <iterator>

#include "codegen/model/entries/entry.h"
#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"

namespace opweave::codegen {
namespace {

// Single dtypes stand behind the groups, in the order of the enum.
constexpr size_t kCount = static_cast<size_t>(DType::count_);
constexpr std::span<const std::string_view, kCount> kNames =
    std::span(words::kDtypes).last<kCount>();
static_assert(kNames.front() == "bool" && kNames.back() == "float64");

constexpr uint16_t bit(DType dtype) { return static_cast<uint16_t>(1u << static_cast<int>(dtype)); }
constexpr uint16_t kBool = bit(DType::boolean);
constexpr uint16_t kIntegral = bit(DType::uint8) | bit(DType::int8) | bit(DType::int16) |
                               bit(DType::int32) | bit(DType::int64);
constexpr uint16_t kFloating =
    bit(DType::float16) | bit(DType::bfloat16) | bit(DType::float32) | bit(DType::float64);

}  // namespace

std::string_view dtype_name(DType dtype) { return kNames[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  return {};
}

DTypeSet all_dtypes() { return {kBool | kIntegral | kFloating}; }
DTypeSet floating_dtypes() { return {kFloating}; }

std::optional<DTypeSet> dtype_group(std::string_view name) {
  if (name == "all") return all_dtypes();
  if (name == "floating") return floating_dtypes();
  if (name == "integral") return DTypeSet{kIntegral};
  if (name == "bool") return DTypeSet{kBool};
  if (name == "integral_or_bool") return DTypeSet{kIntegral | kBool};
  if (name == "numeric") return DTypeSet{kIntegral | kFloating};
  return {};
}

std::optional<DTypeSet> read_dtype_set(Fields& fields, const LocatedText& key,
                                       const YamlNode& value) {
  const std::optional<std::vector<LocatedText>> words = fields.words(key, value);
  if (!words) return {};
  DTypeSet set;
  for (const LocatedText& word : *words) {
    // Single names first: `bool` is both a dtype and a group, and means the same.
    if (const std::optional<DType> dtype = dtype_from_name(word.text)) {
      set.bits |= bit(*dtype);
    } else if (const std::optional<DTypeSet> group = dtype_group(word.text)) {
      set.bits |= group->bits;
    } else {
      fields.bad_value(word, key.text, words::kDtypes);
    }
  }
  return set;
}

}  // namespace opweave::codegen
