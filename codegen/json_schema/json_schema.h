// JSON Schema (draft-07) of the YAML files, for editors: what the tables of keys say, in the words
// of yaml-language-server.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codegen/model/entries/keys.h"

namespace opweave::codegen {

struct SchemaFile {
  std::string_view path;  // `ops.schema.json`
  std::string_view title;
  const KeyTable* keys = nullptr;
  bool list = true;                 // whether the file is a list of entries
  const KeyTable* other = nullptr;  // of other entries in the list
};

// The files that have a schema: ops.yaml, derivatives.yaml, target.yaml.
std::span<const SchemaFile> schema_files();
std::string json_schema(const SchemaFile& file);

}  // namespace opweave::codegen
