// Reads the entries of ops.yaml, key by key.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entry.h"
#include "codegen/model/fields.h"
#include "codegen/syntax/constant_parser.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kDomains[] = {"real", "positive", "unit", "nonzero",
                                         "ge1",  "prob",     "int",  "bool"};

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
      if (field.key.text != "func") read_field(field.key, *field.value);
    }
    entry_.damaged = sink_.error_count() > errors_before;
    return has_schema ? std::optional(std::move(entry_)) : std::nullopt;
  }

 private:
  using Reader = void (EntryReader::*)(const LocatedText& key, const YamlNode& value);
  struct Key {
    std::string_view name;
    Reader read;
  };
  static const std::vector<Key>& keys() {
    static const std::vector<Key> kKeys = {
        {"variants", &EntryReader::read_variants},
        {"internal", &EntryReader::read_internal},
        {"expr", &EntryReader::read_expr},
        {"composite", &EntryReader::read_composite},
        {"batching", &EntryReader::read_batching},
        {"kernels", &EntryReader::read_kernels},
        {"inplace", &EntryReader::read_inplace},
        {"out", &EntryReader::read_out},
        {"differentiable", &EntryReader::read_differentiable},
        {"dtypes", &EntryReader::read_dtypes},
        {"argument_dtypes", &EntryReader::read_argument_dtypes},
        {"promotion", &EntryReader::read_promotion},
        {"promotes", &EntryReader::read_promotes},
        {"numbers", &EntryReader::read_numbers},
        {"doc", &EntryReader::read_doc},
        {"samples", &EntryReader::read_samples},
        {"python_name", &EntryReader::read_python_name},
        {"python_module", &EntryReader::read_python_module},
        {"tags", &EntryReader::read_tags},
    };
    return kKeys;
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
      if (closest(field.key.text, key_names()) == "func") return false;
    }
    sink_.error(Code::missing_key, extent(node),
                "this entry has no 'func': the schema of the operator");
    return false;
  }

  static std::vector<std::string_view> key_names() {
    std::vector<std::string_view> names = {"func"};
    for (const Key& key : keys()) names.push_back(key.name);
    return names;
  }

  void read_field(const LocatedText& key, const YamlNode& value) {
    for (const Key& known : keys()) {
      if (known.name == key.text) return (this->*known.read)(key, value);
    }
    fields_.unknown_key(key, key_names());
  }

  void read_variants(const LocatedText& key, const YamlNode& value) {
    entry_.variants_span = key.whole();
    entry_.variants = fields_.words(key, value);
    if (!entry_.variants) return;
    for (const LocatedText& word : *entry_.variants) {
      if (word.text != "function" && word.text != "method") {
        fields_.bad_value(word, key.text, {"function", "method"});
      }
    }
  }
  void read_internal(const LocatedText& key, const YamlNode& value) {
    entry_.internal = fields_.boolean(key, value).value_or(false);
    entry_.internal_span = key.whole();
  }
  void read_expr(const LocatedText& key, const YamlNode& value) {
    entry_.expr = fields_.text(key, value);
    if (entry_.expr) entry_.implementations.push_back(key);
  }
  void read_composite(const LocatedText& key, const YamlNode& value) {
    entry_.composite = fields_.text(key, value);
    if (entry_.composite) entry_.implementations.push_back(key);
  }
  void read_batching(const LocatedText& key, const YamlNode& value) {
    if (value.is_map()) return read_batching_map(key, value);
    std::optional<LocatedText> word = fields_.text(key, value);
    if (!word) return;
    if (word->text == "pointwise") {
      entry_.batching = Batching::pointwise;
    } else if (word->text == "same") {
      entry_.batching = Batching::same;
    } else if (word->text == "loop") {
      entry_.batching = Batching::loop;
    } else if (word->text == "sized") {
      entry_.batching = Batching::sized;
    } else if (word->text == "none") {
      entry_.batching = Batching::none;
    } else {
      fields_.bad_value(*word, "batching", {"pointwise", "same", "sized", "loop", "none"});
    }
  }
  // How examples are treated: one key, {example: FORMULA}, {batch: FORMULA} or {new_dim: ARGUMENT}.
  void read_batching_map(const LocatedText& key, const YamlNode& value) {
    if (value.entries.size() != 1) {
      sink_.error(
          Code::wrong_kind, key.whole(),
          fmt::format("'batching' takes exactly one of the keys batch, example and new_dim, got {}",
                      value.entries.size()));
      return;
    }
    const auto& [name, field] = value.entries[0];
    const std::optional<LocatedText> text = fields_.text(name, *field);
    if (name.text == "new_dim") {
      entry_.batching = Batching::new_dim;
      entry_.new_dim = text;
    } else if (name.text == "example" || name.text == "batch") {
      entry_.batching = name.text == "example" ? Batching::example : Batching::batch;
      entry_.batching_formula = text;
    } else {
      fields_.unknown_key(name, {"batch", "example", "new_dim"});
    }
  }
  void read_kernels(const LocatedText& key, const YamlNode& value) {
    entry_.kernels = fields_.words(key, value);
    if (entry_.kernels) entry_.implementations.push_back(key);
    if (!entry_.kernels || !entry_.kernels->empty()) return;
    sink_
        .error(Code::bad_value, extent(value),
               fmt::format("{} names no target", fields_.named(key.text)))
        .note({}, "name the targets for which there is a handwritten kernel, such as 'cpu'");
  }
  void read_inplace(const LocatedText& key, const YamlNode& value) {
    entry_.inplace = fields_.boolean(key, value);
    entry_.inplace_span = key.whole();
  }
  void read_out(const LocatedText& key, const YamlNode& value) {
    entry_.out = fields_.boolean(key, value);
    entry_.out_span = key.whole();
  }
  void read_differentiable(const LocatedText& key, const YamlNode& value) {
    entry_.differentiable = fields_.boolean(key, value);
    entry_.differentiable_span = key.whole();
  }

  void read_dtypes(const LocatedText& key, const YamlNode& value) {
    entry_.dtypes = dtype_set(key, value);
  }

  void read_argument_dtypes(const LocatedText& key, const YamlNode& value) {
    if (!value.is_map()) return fields_.wrong_kind(key, value, "a mapping of arguments");
    for (const YamlNode::Entry& field : value.entries) {
      if (std::optional<DTypeSet> set = dtype_set(key, *field.value)) {
        entry_.argument_dtypes.emplace_back(field.key, *set);
      }
    }
  }

  std::optional<DTypeSet> dtype_set(const LocatedText& key, const YamlNode& value) {
    std::optional<std::vector<LocatedText>> words = fields_.words(key, value);
    if (!words) return std::nullopt;
    DTypeSet set;
    for (const LocatedText& word : *words) {
      // Single names first: `bool` is both a dtype and a group, and means the same.
      if (std::optional<DType> dtype = dtype_from_name(word.text)) {
        set.bits |= static_cast<uint16_t>(1u << static_cast<int>(*dtype));
      } else if (std::optional<DTypeSet> group = dtype_group(word.text)) {
        set.bits |= group->bits;
      } else {
        fields_.bad_value(word, key.text, dtype_words());
      }
    }
    return set;
  }

  static std::vector<std::string_view> dtype_words() {
    std::vector<std::string_view> words = {"all", "floating", "integral", "integral_or_bool",
                                           "numeric"};
    for (size_t i = 0; i < static_cast<size_t>(DType::count_); ++i) {
      words.push_back(dtype_name(static_cast<DType>(i)));
    }
    return words;
  }

  void read_promotion(const LocatedText& key, const YamlNode& value) {
    std::optional<LocatedText> text = fields_.text(key, value);
    if (!text) return;
    Promotion promotion;
    if (text->text == "int_to_float") {
      promotion.compute = ComputeRule::int_to_float;
    } else if (text->text == "none") {
      promotion.compute = ComputeRule::first;
    } else if (text->text == "same") {
      promotion.compute = ComputeRule::same;
    } else if (text->text == "bool") {
      promotion.result = ResultRule::boolean;
    } else if (text->text != "default") {
      return fields_.bad_value(*text, key.text,
                               {"default", "int_to_float", "none", "same", "bool"});
    }
    entry_.promotion = promotion;
  }
  void read_numbers(const LocatedText& key, const YamlNode& value) {
    entry_.numbers = fields_.words(key, value).value_or(std::vector<LocatedText>());
  }
  void read_promotes(const LocatedText& key, const YamlNode& value) {
    entry_.promotes = fields_.words(key, value).value_or(std::vector<LocatedText>());
  }

  void read_doc(const LocatedText& key, const YamlNode& value) {
    read_text(key, value, entry_.doc);
  }
  void read_python_name(const LocatedText& key, const YamlNode& value) {
    read_text(key, value, entry_.python_name);
  }
  void read_python_module(const LocatedText& key, const YamlNode& value) {
    read_text(key, value, entry_.python_module);
    const std::vector<std::string_view> modules = {"nn", "linalg", "special", "fft"};
    bool known = std::find(modules.begin(), modules.end(), entry_.python_module) != modules.end();
    if (value.is_scalar() && !known) fields_.bad_value(value.text, key.text, modules);
  }
  void read_text(const LocatedText& key, const YamlNode& value, std::string& to) {
    if (std::optional<LocatedText> text = fields_.text(key, value)) to = text->text;
    while (to.ends_with('\n')) to.pop_back();
  }

  void read_tags(const LocatedText& key, const YamlNode& value) {
    const std::vector<std::string_view> known = {"nondeterministic", "random", "data_dependent"};
    std::optional<std::vector<LocatedText>> words = fields_.words(key, value);
    if (!words) return;
    for (const LocatedText& word : *words) {
      if (std::find(known.begin(), known.end(), word.text) == known.end()) {
        fields_.bad_value(word, key.text, known);
      }
      entry_.tags.emplace_back(word.text);
    }
  }

  void read_samples(const LocatedText& key, const YamlNode& value) {
    if (!value.is_map()) return fields_.wrong_kind(key, value, "a mapping of arguments");
    for (const YamlNode::Entry& field : value.entries) {
      Sample sample;
      sample.argument = field.key.text;
      if (!read_sample(field.key, *field.value, sample)) continue;
      entry_.samples.push_back(std::move(sample));
      entry_.sample_spans.push_back(field.key.whole());
    }
  }

  // The name of a domain, one value, or a list of values.
  bool read_sample(const LocatedText& key, const YamlNode& value, Sample& sample) {
    if (value.is_sequence()) {
      sample.domain = Sample::Domain::values;
      for (const YamlNode* item : value.items) {
        if (!read_sample_value(key, *item, sample)) return false;
      }
      return true;
    }
    for (size_t i = 0; value.is_scalar() && i < std::size(kDomains); ++i) {
      if (value.text.text != kDomains[i] || value.quoted) continue;
      sample.domain = static_cast<Sample::Domain>(i);
      return true;
    }
    sample.domain = Sample::Domain::values;
    return read_sample_value(key, value, sample);
  }

  bool read_sample_value(const LocatedText& key, const YamlNode& value, Sample& sample) {
    if (value.is_null()) {
      sample.values.emplace_back().text = "None";
      return true;
    }
    if (!value.is_scalar()) {
      return static_cast<bool>(fields_.text(key, value));
    }
    if (value.quoted) {
      Constant& constant = sample.values.emplace_back();
      constant.kind = Constant::Kind::string;
      constant.string = value.text.text;
      constant.text = fmt::format("'{}'", value.text.text);
      return true;
    }
    return read_plain_sample(value.text, sample);
  }

  bool read_plain_sample(const LocatedText& text, Sample& sample) {
    Constant constant;
    if (std::optional<Constant> number = parse_number(text.text)) {
      constant = *number;
    } else if (text.text == "true" || text.text == "false") {
      constant.kind = Constant::Kind::boolean;
      constant.boolean = text.text == "true";
      constant.text = constant.boolean ? "True" : "False";
    } else if (closest_domain(text.text).empty()) {
      constant.kind = Constant::Kind::string;
      constant.string = text.text;
      constant.text = fmt::format("'{}'", text.text);
    } else {
      fields_.bad_value(text, "samples", {std::begin(kDomains), std::end(kDomains)});
      return false;
    }
    sample.values.push_back(std::move(constant));
    return true;
  }

  // A word that is almost a domain is a mistake, not a string.
  static std::string closest_domain(std::string_view word) { return closest(word, kDomains); }

  DiagnosticSink& sink_;
  Fields fields_;
  OperatorEntry entry_;
};

}  // namespace

std::vector<OperatorEntry> read_operator_entries(const YamlNode& root, const Source& source,
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
    if (item->is_map()) {
      std::optional<OperatorEntry> entry = reader.read(*item);
      if (entry) entries.push_back(std::move(*entry));
    } else {
      sink.error(Code::wrong_kind, extent(*item),
                 fmt::format("an entry must be a mapping that begins with 'func:', not {}",
                             describe(*item)));
    }
  }
  return entries;
}

}  // namespace opweave::codegen
