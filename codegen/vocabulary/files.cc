// The keys of the YAML files and the words that they take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/model/declarations/kernel_words.h"
#include "codegen/model/entries/keys.h"
#include "codegen/vocabulary/tables.h"
#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

std::string meaning_of(const Key& key) {
  std::string text(key.doc);
  if (!key.words.empty()) text += fmt::format(" Words: `{}`.", fmt::join(key.words, "`, `"));
  for (const Key& field : key.fields) text += fmt::format(" `{}`: {}", field.name, field.doc);
  if (key.presence == Presence::required) text += " Required.";
  return text;
}

std::vector<TopicWord> words_of(const KeyTable& table) {
  std::vector<TopicWord> words;
  for (const Key& key : table.keys)
    words.push_back({std::string(key.name), std::string(key.name), meaning_of(key)});
  if (table.other != nullptr)
    words.push_back(
        {std::string(table.other->name), std::string(table.other->name), meaning_of(*table.other)});
  return words;
}

std::vector<TopicWord> kernel_words() {
  std::vector<TopicWord> words;
  for (const KernelWord& word : kKernelWords)
    words.push_back({std::string(word.name), std::string(word.name), std::string(word.doc)});
  return words;
}

std::string members(const DtypeGroup& group) {
  std::vector<std::string_view> names;
  for (const DtypeInfo& dtype : kDtypes) {
    const bool inside = contains(group.dtypes, *dtype_from_name(dtype.name));
    if (inside) names.push_back(dtype.name);
  }
  return fmt::format("{}.", fmt::join(names, ", "));
}

std::vector<TopicWord> dtypes() {
  std::vector<TopicWord> words;
  for (const DtypeGroup& group : kDtypeGroups)
    words.push_back({std::string(group.name), std::string(group.name), members(group)});
  for (const DtypeInfo& dtype : kDtypes) {
    words.push_back(
        {std::string(dtype.name), std::string(dtype.name),
         fmt::format("A dtype of {} byte{}.", dtype.bytes, dtype.bytes == 1 ? "" : "s")});
  }
  return words;
}

}  // namespace

std::vector<WordTopic> file_topics() {
  return {
      {"ops.yaml", "the keys of an entry that is an operator", words_of(operator_keys())},
      {"objects", "the keys of an entry that declares a type of objects", words_of(object_keys())},
      {"derivatives.yaml", "the keys of an entry that says how an operator is differentiated",
       words_of(derivative_keys())},
      {"target.yaml", "the keys of the file of a target", words_of(target_keys())},
      {"kernels", "the words of `kernels` that name no hardware", kernel_words()},
      {"dtypes", "what `dtypes` and `argument_dtypes` take: groups, then dtypes", dtypes()},
  };
}

}  // namespace opweave::codegen
