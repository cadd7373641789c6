// What stands at a place of an open document.
#pragma once

#include <string>
#include <vector>

#include "codegen/lsp/words.h"
#include "codegen/lsp/workspace.h"

namespace opweave::codegen::lsp {

// A document as the features see it.
struct View {
  const Workspace& workspace;
  std::string path;
  const std::string& text;
  Outline outline;
  const Model* model = nullptr;  // may be older than the text, or null
  bool current = false;          // whether the model is that of the text
};

struct Cursor {
  enum class Kind : uint8_t {
    nothing,
    key,       // a key of the table
    value,     // a word that a key allows, or a name that it takes
    name,      // the name of the operator that the entry is about
    argument,  // of that operator
    function,  // in a formula, or a method
    other,     // any other word of a formula: `grad`, `result`
  };

  Kind kind = Kind::nothing;
  Range range;       // the word
  std::string word;  // its text
  uint32_t offset = 0;
  const Entry* entry = nullptr;
  const Field* field = nullptr;
  const Key* key = nullptr;
};

Cursor cursor_at(const View& view, uint32_t offset);

// The schema of the entry's operator as it stands in the text of operators; null if the entry has
// none or it cannot be read. `source` keeps what it points to, from `base` on.
struct EntrySchema {
  std::unique_ptr<Source> source;
  std::optional<Schema> schema;
  uint32_t base = 0;
};
EntrySchema schema_of(const Entry& entry, std::string_view text);

// The operator that the entry is about; null if the model does not know it.
const Operator* operator_of(const View& view, const Entry& entry);
// The operators that the word at the cursor may mean, the likeliest alone where that is known.
std::vector<const Operator*> operators_at(const View& view, const Cursor& cursor);

}  // namespace opweave::codegen::lsp
