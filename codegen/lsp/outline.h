// The entries of a file as far as one can see them without reading it as YAML: while something is
// being typed it seldom is YAML.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/lsp/words.h"
#include "codegen/model/entries/keys.h"

namespace opweave::codegen::lsp {

struct Field {
  Range key;
  Range value;  // without blanks around it; further lines included
};

struct Entry {
  Range range;
  std::vector<Field> fields;

  const Field* find(std::string_view text, std::string_view key) const;
};

struct Outline {
  std::vector<Entry> entries;
  // By the first entry that has `func` or `name`; null if none has.
  const KeyTable* keys = nullptr;

  const Entry* entry_at(uint32_t offset) const;
};

Outline outline_of(std::string_view text);

// The full name of the operator that the entry defines or differentiates; empty if there is none.
Range name_of(const Entry& entry, std::string_view text);

}  // namespace opweave::codegen::lsp
