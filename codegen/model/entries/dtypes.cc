// Sets of dtypes in YAML: groups, and dtypes by name.
#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/entry.h"
#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"
#include "codegen/syntax/named_values.h"

namespace opweave::codegen {

std::optional<DTypeSet> dtype_group(std::string_view name) {
  for (const DtypeGroup& group : kDtypeGroups) {
    if (group.name == name) return DTypeSet{group.dtypes};
  }
  return {};
}

// `float` is the group that begins so, `half` the dtype that is called so elsewhere.
static std::string meant_by(std::string_view word) {
  constexpr size_t kShortest = 3;
  for (const DtypeGroup& group : kDtypeGroups) {
    if (word.size() >= kShortest && group.name.starts_with(word)) return std::string(group.name);
  }
  const std::string_view dtype = dtype_called(word);
  return dtype.empty() ? closest(word, words::kDtypes) : std::string(dtype);
}

std::optional<DTypeSet> read_dtype_set(Fields& fields, const LocatedText& key,
                                       const YamlNode& value) {
  const std::optional<std::vector<LocatedText>> words = fields.words(key, value);
  if (!words) return {};
  DTypeSet set;
  for (const LocatedText& word : *words) {
    if (const std::optional<ScalarType> dtype = dtype_from_name(word.text)) {
      set.bits |= dtype_bit(*dtype);
    } else if (const std::optional<DTypeSet> group = dtype_group(word.text)) {
      set.bits |= group->bits;
    } else {
      fields.bad_value(word, key.text, words::kDtypes, meant_by(word.text));
    }
  }
  return set;
}

}  // namespace opweave::codegen
