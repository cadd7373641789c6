// Reads the entries of ops.yaml, key by key.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/entry.h"
#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"
#include "codegen/model/entries/object_entry.h"
#include "codegen/model/entries/sample_reader.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

class EntryReader {
 public:
  explicit EntryReader(DiagnosticSink& sink) : sink_(sink), fields_(sink) {}

  // Nothing if there is no schema to go on with.
  std::optional<OperatorEntry> read(const YamlNode& node) {
    entry_ = {};
    fields_.set_owner("");
    size_t errors_before = sink_.error_count();
    bool has_schema = read_schema(node);
    for (const YamlNode::Entry& field : node.entries) {
      // Without a schema nothing can be said about its arguments and results.
      const bool about_schema = field.key.text == "samples" || field.key.text == "result";
      if (has_schema || !about_schema) read_field(field.key, *field.value);
    }
    entry_.damaged = sink_.error_count() > errors_before;
    return has_schema ? std::optional(std::move(entry_)) : std::nullopt;
  }

  // The name of what was read last, as far as it could be read.
  const std::string& owner() const { return fields_.owner(); }

 private:
  using Reader = void (EntryReader::*)(const LocatedText& key, const YamlNode& value);
  static Reader reader_of(const Key& key) {
    // In the order of operator_keys().
    static constexpr Reader kReaders[] = {
#define OPWEAVE_OPERATOR_KEY(key, ...) &EntryReader::read_##key,
#include "codegen/model/entries/keys.def"
    };
    return kReaders[&key - operator_keys().keys.data()];
  }

  bool read_schema(const YamlNode& node) {
    for (const YamlNode::Entry& field : node.entries) {
      if (field.key.text != "func") continue;
      std::optional<LocatedText> text = fields_.text(field.key, *field.value);
      if (!text) return false;
      fields_.set_owner(std::string(text->text.substr(0, text->text.find_first_of(" (\n"))));
      std::optional<Schema> schema = parse_schema(*text, sink_);
      if (!schema) return false;
      entry_.schema = std::move(*schema);
      entry_.span = text->whole();
      return true;
    }
    // A misspelt `func` is told by the unknown key.
    for (const YamlNode::Entry& field : node.entries) {
      if (closest(field.key.text, operator_keys().names()) == "func") return false;
    }
    sink_.error(Code::missing_key, extent(node),
                "this entry has no 'func': the schema of the operator");
    return false;
  }

  void read_field(const LocatedText& key, const YamlNode& value) {
    const Key* known = operator_keys().find(key.text);
    if (known == nullptr) return fields_.unknown_key(key, operator_keys().names());
    (this->*reader_of(*known))(key, value);
  }
  // What a key with a closed set of values takes.
  static std::span<const std::string_view> words_of(const LocatedText& key) {
    return operator_keys().find(key.text)->words;
  }

  void read_func(const LocatedText&, const YamlNode&) {}  // read_schema has read it
  void read_variants(const LocatedText& key, const YamlNode& value) {
    entry_.variants_span = key.whole();
    entry_.variants = fields_.words(key, value);
    if (entry_.variants) check_words(key, *entry_.variants);
  }
  void read_internal(const LocatedText& key, const YamlNode& value) {
    entry_.internal = fields_.boolean(key, value).value_or(false);
    entry_.internal_span = key.whole();
  }
  void read_expr(const LocatedText& key, const YamlNode& value) {
    if (value.is_map()) {
      read_results(key, value, fields_, entry_.fold);
    } else {
      entry_.expr = fields_.text(key, value);
    }
    if (entry_.expr || !entry_.fold.results.empty()) entry_.implementations.push_back(key);
  }
  void read_over(const LocatedText& key, const YamlNode& value) {
    opweave::codegen::read_over(key, value, fields_, entry_.fold);
  }
  void read_axes(const LocatedText& key, const YamlNode& value) {
    opweave::codegen::read_axes(key, value, fields_, entry_.fold);
  }
  void read_where(const LocatedText& key, const YamlNode& value) {
    opweave::codegen::read_where(key, value, fields_, entry_.fold);
  }
  void read_composite(const LocatedText& key, const YamlNode& value) {
    entry_.composite = fields_.text(key, value);
    if (entry_.composite) entry_.implementations.push_back(key);
  }
  void read_batching(const LocatedText& key, const YamlNode& value) {
    entry_.batching_span = key.whole();
    if (value.is_map()) return read_batching_map(key, value);
    constexpr Batching kRules[] = {Batching::pointwise, Batching::same, Batching::sized,
                                   Batching::dims,      Batching::loop, Batching::none};
    static_assert(std::size(kRules) == std::size(words::kBatching));
    if (const auto word = fields_.word(key, value, words_of(key))) entry_.batching = kRules[*word];
  }
  // How examples are treated: one key, {example: FORMULA} or {batch: FORMULA}.
  void read_batching_map(const LocatedText& key, const YamlNode& value) {
    if (value.entries.size() != 1) {
      sink_.error(Code::wrong_kind, key.whole(),
                  fmt::format("'batching' takes exactly one of the keys batch and example, got {}",
                              value.entries.size()));
      return;
    }
    const auto& [name, field] = value.entries[0];
    const std::optional<LocatedText> text = fields_.text(name, *field);
    if (name.text == "example" || name.text == "batch") {
      entry_.batching = name.text == "example" ? Batching::example : Batching::batch;
      entry_.batching_formula = text;
    } else {
      std::vector<std::string_view> known;
      for (const Key& field_key : operator_keys().find(key.text)->fields) {
        known.push_back(field_key.name);
      }
      fields_.unknown_key(name, known);
    }
  }
  void read_autocast(const LocatedText& key, const YamlNode& value) {
    entry_.autocast_span = key.whole();
    if (value.is_map()) return read_autocast_map(key, value);
    const Autocast policy = autocast_word(key, value);
    entry_.autocast = {policy, policy};
  }
  Autocast autocast_word(const LocatedText& key, const YamlNode& value) {
    const auto word = fields_.word(key, value, words::kAutocast);
    return word ? static_cast<Autocast>(*word) : Autocast::none;
  }
  // By kind of device: {cpu: POLICY, others: POLICY}.
  void read_autocast_map(const LocatedText& key, const YamlNode& value) {
    if (value.entries.empty()) fields_.empty(key, value);
    for (const auto& [name, field] : value.entries) {
      if (name.text == "cpu") {
        entry_.autocast.cpu = autocast_word(name, *field);
      } else if (name.text == "others") {
        entry_.autocast.others = autocast_word(name, *field);
      } else {
        std::vector<std::string_view> known;
        for (const Key& field_key : operator_keys().find(key.text)->fields)
          known.push_back(field_key.name);
        fields_.unknown_key(name, known);
      }
    }
  }
  void read_roles(const LocatedText& key, const YamlNode& value) {
    if (!value.is_map()) return fields_.wrong_kind(key, value, "a mapping from arguments to roles");
    if (value.entries.empty()) fields_.empty(key, value);
    for (const YamlNode::Entry& field : value.entries) {
      const std::optional<LocatedText> role = fields_.text(field.key, *field.value);
      if (!role) continue;
      if (std::ranges::count(words_of(key), role->text) == 0) {
        fields_.bad_value(*role, key.text, words_of(key));
      } else {
        entry_.roles.emplace_back(field.key, *role);
      }
    }
  }
  void read_kernels(const LocatedText& key, const YamlNode& value) {
    entry_.kernels = fields_.words(key, value);
    if (entry_.kernels) entry_.implementations.push_back(key);
  }
  void read_let(const LocatedText& key, const YamlNode& value) {
    opweave::codegen::read_let(key, value, fields_, entry_.rule);
  }
  void read_require(const LocatedText& key, const YamlNode& value) {
    opweave::codegen::read_require(key, value, fields_, entry_.rule);
  }
  void read_result(const LocatedText& key, const YamlNode& value) {
    opweave::codegen::read_result(key, value, entry_.schema.returns.size(), fields_, entry_.rule);
  }
  void read_inplace(const LocatedText& key, const YamlNode& value) {
    entry_.inplace = fields_.boolean(key, value);
    entry_.inplace_span = key.whole();
  }
  void read_out(const LocatedText& key, const YamlNode& value) {
    entry_.out = fields_.boolean(key, value);
    entry_.out_span = key.whole();
  }
  void read_out_dtype(const LocatedText& key, const YamlNode& value) {
    if (const auto word = fields_.word(key, value, words_of(key)))
      entry_.out_dtype = static_cast<OutDtype>(*word);
    entry_.out_dtype_span = key.whole();
  }
  void read_differentiable(const LocatedText& key, const YamlNode& value) {
    entry_.differentiable = fields_.boolean(key, value);
    entry_.differentiable_span = key.whole();
  }

  void read_dtypes(const LocatedText& key, const YamlNode& value) {
    entry_.dtypes = read_dtype_set(fields_, key, value);
    entry_.dtypes_span = extent(value);
  }

  void read_argument_dtypes(const LocatedText& key, const YamlNode& value) {
    if (!value.is_map()) return fields_.wrong_kind(key, value, "a mapping of arguments");
    if (value.entries.empty()) fields_.empty(key, value);
    entry_.argument_dtypes_span = key.whole();
    for (const YamlNode::Entry& field : value.entries) {
      if (std::optional<DTypeSet> set = read_dtype_set(fields_, key, *field.value)) {
        entry_.argument_dtypes.emplace_back(field.key, *set);
      }
    }
  }

  void read_promotion(const LocatedText& key, const YamlNode& value) {
    constexpr Promotion kRules[] = {{},
                                    {.compute = ComputeRule::int_to_float},
                                    {.compute = ComputeRule::first},
                                    {.compute = ComputeRule::same},
                                    {.result = ResultRule::boolean}};
    static_assert(std::size(kRules) == std::size(words::kPromotion));
    if (const auto word = fields_.word(key, value, words_of(key))) entry_.promotion = kRules[*word];
    entry_.promotion_span = extent(value);
    entry_.pointwise_keys.push_back(key);
  }
  void read_numbers(const LocatedText& key, const YamlNode& value) {
    entry_.numbers = fields_.words(key, value).value_or(std::vector<LocatedText>());
  }
  void read_promotes(const LocatedText& key, const YamlNode& value) {
    entry_.promotes = fields_.words(key, value).value_or(std::vector<LocatedText>());
    entry_.pointwise_keys.push_back(key);
  }
  void read_exact_numbers(const LocatedText& key, const YamlNode& value) {
    entry_.exact_numbers = fields_.words(key, value).value_or(std::vector<LocatedText>());
    entry_.pointwise_keys.push_back(key);
  }
  void read_suits(const LocatedText& key, const YamlNode& value) {
    entry_.suits = fields_.words(key, value).value_or(std::vector<LocatedText>());
    entry_.pointwise_keys.push_back(key);
  }

  void read_doc(const LocatedText& key, const YamlNode& value) {
    read_text(key, value, entry_.doc);
  }
  void read_python_name(const LocatedText& key, const YamlNode& value) {
    entry_.python_name = fields_.text(key, value);
  }
  void read_python_module(const LocatedText& key, const YamlNode& value) {
    if (const auto word = fields_.word(key, value, words_of(key))) {
      entry_.python_module = words_of(key)[*word];
      entry_.python_module_span = key.whole();
    }
  }
  void read_python_operator(const LocatedText& key, const YamlNode& value) {
    const auto word = fields_.word(key, value, words_of(key));
    if (!word) return;
    entry_.python_operator = &kPythonOperators[*word];
    entry_.python_operator_span = extent(value);
  }
  void read_nn_function(const LocatedText& key, const YamlNode& value) {
    entry_.nn_function = fields_.text(key, value);
  }
  void read_text(const LocatedText& key, const YamlNode& value, std::string& to) {
    if (std::optional<LocatedText> text = fields_.text(key, value)) to = text->text;
    while (to.ends_with('\n')) to.pop_back();
  }

  void read_tags(const LocatedText& key, const YamlNode& value) {
    entry_.tags = fields_.words(key, value).value_or(std::vector<LocatedText>());
    check_words(key, entry_.tags);
  }

  void check_words(const LocatedText& key, const std::vector<LocatedText>& given) {
    for (const LocatedText& word : given) {
      if (std::ranges::count(words_of(key), word.text) == 0) {
        fields_.bad_value(word, key.text, words_of(key));
      }
    }
  }

  void read_samples(const LocatedText& key, const YamlNode& value) {
    entry_.has_samples = true;
    SampleReader reader(entry_.schema, fields_, sink_);
    if (value.is_map() && value.entries.empty()) {
      fields_.empty(key, value);
    } else if (value.is_map()) {
      entry_.argument_samples = reader.read_arguments(value);
    } else if (value.is_sequence()) {
      entry_.sample_calls = reader.read_calls(value);
    } else {
      fields_.wrong_kind(key, value, "a mapping of arguments, or a list of calls");
    }
  }

  void read_reference(const LocatedText& key, const YamlNode& value) {
    entry_.reference_span = key.whole();
    if (!value.is_map()) {
      entry_.reference = fields_.text(key, value);
      return;
    }
    if (value.entries.empty()) fields_.empty(key, value);
    for (const auto& [name, field] : value.entries) {
      if (name.text == "numpy") {
        entry_.numpy_reference = fields_.text(name, *field);
      } else {
        std::vector<std::string_view> known;
        for (const Key& field_key : operator_keys().find(key.text)->fields)
          known.push_back(field_key.name);
        fields_.unknown_key(name, known);
      }
    }
  }

  DiagnosticSink& sink_;
  Fields fields_;
  OperatorEntry entry_;
};

}  // namespace

std::vector<OperatorEntry> read_operator_entries(const YamlNode& root, const Source& source,
                                                 std::vector<std::string>& lost,
                                                 DiagnosticSink& sink) {
  std::vector<OperatorEntry> entries;
  if (root.is_null()) {
    sink.error(Code::empty_file, {&source, 0, 0},
               fmt::format("{} is empty: it must hold a list of operators", source.path()));
    return entries;
  }
  if (!root.is_sequence()) {
    sink.error(
        Code::wrong_kind, extent(root),
        fmt::format("{} must hold a list of operators, not {}", source.path(), describe(root)));
    return entries;
  }
  EntryReader reader(sink);
  for (const YamlNode* item : root.items) {
    if (is_object_entry(*item)) continue;
    if (item->is_map()) {
      std::optional<OperatorEntry> entry = reader.read(*item);
      if (entry) {
        entries.push_back(std::move(*entry));
      } else {
        lost.push_back(reader.owner());
      }
    } else {
      sink.error(Code::wrong_kind, extent(*item),
                 fmt::format("an entry must be a mapping that begins with 'func:', not {}",
                             describe(*item)));
    }
  }
  return entries;
}

}  // namespace opweave::codegen
