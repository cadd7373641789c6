// Reads one entry of native_functions.yaml, key by key.
#pragma once

#include <vector>

#include "codegen/torch/entry_values.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

class FunctionReader {
 public:
  FunctionReader(NativeFunctions& functions, const std::vector<std::string_view>& tags,
                 DiagnosticSink& sink)
      : functions_(functions), tags_(tags), sink_(sink), values_(sink) {}

  void read(const YamlNode& node);

 private:
  bool read_schema(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  bool read_namespace(LocatedText& text, NativeFunction& function);
  void understand(NativeFunction& function);
  void read_field(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  bool read_word(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  bool read_truth(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  bool read_table(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  void read_variants(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  void read_tags(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  void read_autogen(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  void read_delegate(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  void read_check(const LocatedText& key, const YamlNode& value, NativeFunction& function);
  void read_defaults(const LocatedText& key, const YamlNode& value, const NativeFunction& function);
  bool check_name(std::string_view key, const LocatedText& name);
  void add(NativeFunction function);

  NativeFunctions& functions_;
  const std::vector<std::string_view>& tags_;
  DiagnosticSink& sink_;
  EntryValues values_;
};

}  // namespace opweave::codegen::torch
