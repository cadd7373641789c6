// PyTorch's native_functions.yaml: its operators, as far as formulas and the parity report ask.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/schema.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen::torch {

struct NativeFunction {
  Schema schema;
  std::string full_name;
  std::string_view python_module;  // ``, `nn`, `linalg`, ...
  bool is_structured = false;      // has kernels, perhaps those of its out form
  bool is_method = false;          // `variants` names `method`
  std::vector<std::string_view>
      dispatch_keys;  // that have kernels; empty: composite, or a delegate
  std::vector<std::string_view> tags;
};

// Immutable once read.
class NativeFunctions {
 public:
  const std::deque<NativeFunction>& all() const { return functions_; }
  // Null if there is none.
  const NativeFunction* find(std::string_view full_name) const;
  bool has_base_name(std::string_view name) const { return base_names_.contains(name); }
  bool has_method(std::string_view name) const { return methods_.contains(name); }
  // Whether torchgen makes the operator (key `autogen`): its schema is in no file.
  bool is_generated(std::string_view full_name) const { return generated_.contains(full_name); }
  const std::set<std::string_view>& base_names() const { return base_names_; }
  const std::set<std::string_view>& methods() const { return methods_; }

  // For the reader; false if the full name is taken.
  bool add(NativeFunction function);
  void add_generated(std::string_view full_name);

 private:
  std::deque<NativeFunction> functions_;
  std::unordered_map<std::string_view, const NativeFunction*> by_name_;
  std::set<std::string_view> base_names_, methods_, generated_;
};

// Everything wrong is reported: unknown keys, schemas that cannot be read or do not print back to
// the letter, operators that are there twice.
NativeFunctions read_native_functions(const YamlNode& root, const Source& source,
                                      DiagnosticSink& sink);

// The mappings of a file that holds a list of entries; what is none is reported.
std::vector<const YamlNode*> entries_of(const YamlNode& root, const Source& source,
                                        std::string_view first_key, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
