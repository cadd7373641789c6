// PyTorch's native_functions.yaml: its operators, as PyTorch's generator understands them.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/schema.h"
#include "codegen/syntax/yaml.h"
#include "codegen/torch/schema_parts.h"

namespace opweave::codegen::torch {

// `CPU: add_cpu`, or one of the keys of `CPU, CUDA: add_any`.
struct NativeKernel {
  LocatedText key;
  LocatedText kernel;
};

// `Generic: add (Half)`: of one key of `ufunc_inner_loop`.
struct NativeLoop {
  LocatedText key;
  LocatedText name;
  std::set<std::string_view> dtypes;  // classes as those that they stand for
};

struct NativeFunction {
  Schema schema;
  std::string full_name;
  std::string_view python_module;  // ``, `nn`, `linalg`, ...
  bool is_structured = false;      // has kernels, perhaps those of its out form
  bool is_method = false;          // `variants` names `method`
  std::vector<std::string_view>
      dispatch_keys;  // that have kernels; empty: composite, or a delegate
  std::vector<std::string_view> tags;

  const YamlNode* node = nullptr;  // the entry; null if only the generator makes the operator
  bool is_sound = false;           // its schema keeps the rules: the fields below mean something
  std::string_view name_space;     // `aten` where none is given
  OperatorName name;
  std::optional<SchemaParts> parts;  // pointers into `schema`
  SchemaKind kind = SchemaKind::functional;
  std::string signature, view_signature;
  bool is_function = true;  // `variants` names `function`
  bool structured = false;  // the key of this name
  std::optional<LocatedText> delegate;
  std::string_view category;
  bool has_dispatch = false;
  std::vector<NativeKernel> kernels;
  std::vector<LocatedText> autogen;
  std::vector<NativeLoop> loops;
  bool has_loops = false;
  bool in_module = false;  // `python_module` is given, if with an empty text
  bool has_precomputed = false;
  // By `precomputed`: arguments that kernels do not get, and those that they get besides.
  std::set<std::string_view> replaced;
  std::vector<schema::Argument> precomputed;
  bool device_guard = true;
  bool device_check = true;
  bool inherits = false;  // has `structured_inherits`
  bool manual_registration = false;
  bool manual_cpp = false;

  bool has_tag(std::string_view tag) const;
  const NativeKernel* kernel_of(std::string_view key) const;  // null if there is none
  // Differentiated through: has a kernel for this key, or no kernels at all.
  bool is_implicit() const;
  bool is_nested_implicit() const { return kernel_of("CompositeImplicitAutogradNestedTensor"); }
  // Some backend has to do it: there are other kernels than implicit ones.
  bool is_abstract() const;
  bool in_structured_group() const { return structured || delegate; }
  bool is_view() const;
  // The key of the entry with this name, or the name of the operator.
  Span place(std::string_view key) const;
};

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

// The tags that `tags.yaml` declares. Empty if there is something wrong with it, which is reported.
std::vector<std::string_view> read_tags(const YamlNode& root, const Source& source,
                                        DiagnosticSink& sink);
// Those that PyTorch 2.15 has.
std::vector<std::string_view> known_tags();

// Everything wrong with single entries is reported; relations between them are for check_relations.
NativeFunctions read_native_functions(const YamlNode& root, const Source& source,
                                      const std::vector<std::string_view>& tags,
                                      DiagnosticSink& sink);

// The mappings of a file that holds a list of entries; what is none is reported.
std::vector<const YamlNode*> entries_of(const YamlNode& root, const Source& source,
                                        std::string_view first_key, DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
