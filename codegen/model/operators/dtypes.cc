// Sets of dtypes in YAML: groups, and dtypes by name.
#include "codegen/model/entries/entry.h"
#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"

namespace opweave::codegen {

std::optional<DTypeSet> dtype_group(std::string_view name) {
  for (const DtypeGroup& group : kDtypeGroups) {
    if (group.name == name) return DTypeSet{group.dtypes};
  }
  return {};
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
      fields.bad_value(word, key.text, words::kDtypes);
    }
  }
  return set;
}

}  // namespace opweave::codegen
