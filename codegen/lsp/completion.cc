// Keys, words, types, and the names that formulas know.
#include "codegen/lsp/completion.h"

#include <fmt/format.h>

#include "codegen/expr/formula_checker.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/declarations/kernel_words.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen::lsp {
namespace {

// CompletionItemKind of the protocol.
enum class ItemKind : int {
  method = 2,
  function = 3,
  variable = 6,
  property = 10,
  value = 12,
  keyword = 14,
  type = 22
};

class Completer {
 public:
  Completer(const View& view, uint32_t offset)
      : view_(view), offset_(offset), word_(word_around(view.text, offset).begin) {}

  Json run() {
    if (view_.outline.keys == nullptr) return items_;
    const Entry* entry = view_.outline.entry_at(offset_);
    if (entry == nullptr) return items_;
    if (const Field* field = field_at(*entry)) {
      in_value(*entry, *field);
    } else {
      add_keys(*entry);
    }
    return std::move(items_);
  }

 private:
  // The field in whose value the place is; null where a key stands.
  const Field* field_at(const Entry& entry) const {
    const Field* last = nullptr;
    for (const Field& field : entry.fields) {
      if (field.key.begin < offset_) last = &field;
    }
    if (last == nullptr || offset_ <= last->key.end) return nullptr;
    const std::string_view between =
        std::string_view(view_.text).substr(last->key.end, word_ - std::min(last->key.end, word_));
    const size_t line = between.rfind('\n');
    if (between.find(':') == std::string_view::npos) return nullptr;
    // On a line of its own at the place of keys: a key that is not finished.
    const bool in_value = line == std::string_view::npos || word_ < last->value.end;
    return in_value && last->value.begin <= offset_ + 1 ? last : nullptr;
  }

  void add(std::string_view label, ItemKind kind, std::string_view detail = "",
           std::string_view doc = "", std::string_view insert = "") {
    Json item = {{"label", label}, {"kind", static_cast<int>(kind)}};
    if (!detail.empty()) item["detail"] = detail;
    if (!doc.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", doc}};
    if (!insert.empty()) item["insertText"] = insert;
    items_.push_back(std::move(item));
  }

  void add_keys(const Entry& entry) {
    for (const Key& key : view_.outline.keys->keys) {
      const Field* given = entry.find(view_.text, key.name);
      if (given != nullptr && !given->key.contains(offset_)) continue;
      add(key.name, ItemKind::property, "", key.doc, fmt::format("{}: ", key.name));
    }
    if (view_.outline.keys->other != nullptr) add_arguments(entry, ": ", /*only_tensors=*/true);
  }

  void in_value(const Entry& entry, const Field& field) {
    const Key* key = view_.outline.keys->find(field.key.of(view_.text));
    if (key == nullptr) return;
    if (key->shape == Shape::signature) return add_types();
    if (key->shape == Shape::boolean || key->shape == Shape::booleans) {
      add("true", ItemKind::keyword);
      add("false", ItemKind::keyword);
    }
    for (std::string_view word : key->words) add(word, ItemKind::value, "", key->doc);
    for (const Key& part : key->fields) add(part.name, ItemKind::property, "", part.doc);
    add_names(entry, *key);
    if (key->is_formula() || !key->fields.empty()) add_formula(entry, key->name == "expr");
  }

  void add_names(const Entry& entry, const Key& key) {
    if (key.names == Names::arguments && key.shape != Shape::formula)
      add_arguments(entry, "", false);
    if (key.names == Names::targets) {
      for (const KnownTarget& target : view_.workspace.targets(view_.path))
        add(target.name, ItemKind::value, "", target.doc);
      for (const KernelWord& word : kKernelWords) add(word.name, ItemKind::value, "", word.doc);
    }
    if (key.names == Names::operators && view_.model != nullptr) {
      for (const Operator* op : view_.model->operators().all()) {
        if (!op->is_generated() && !op->origin.imported && op->forms->form != Form::out)
          add(op->name.full, ItemKind::function, print(op->schema), op->face->doc);
      }
    }
  }

  void add_types() {
    for (std::string_view name : schema_type_names()) add(name, ItemKind::type);
  }

  void add_arguments(const Entry& entry, std::string_view behind, bool only_tensors) {
    const EntrySchema own = schema_of(entry, view_.text);
    const Operator* op = operator_of(view_, entry);
    const Schema* schema = own.schema ? &*own.schema : op != nullptr ? &op->schema : nullptr;
    if (schema == nullptr) return;
    for (const Argument& argument : schema->arguments) {
      if (only_tensors && !argument.type.is_tensor_like()) continue;
      if (!behind.empty() && entry.find(view_.text, argument.name) != nullptr) continue;
      add(argument.name, ItemKind::variable, print(argument), "",
          behind.empty() ? "" : argument.name + std::string(behind));
    }
  }

  void add_formula(const Entry& entry, bool is_expr) {
    if (word_ > 0 && view_.text[word_ - 1] == '.') return add_methods();
    add_arguments(entry, "", false);
    if (view_.outline.keys == &derivative_keys()) add_gradient_names(entry);
    if (is_expr) {
      for (std::string_view name : intrinsic_names()) add(name, ItemKind::function);
    }
    add_operators(ItemKind::function, is_expr);
  }

  void add_gradient_names(const Entry& entry) {
    for (std::string_view name : {"grad", "grads", "grad_input_mask", "zero", "non_differentiable",
                                  "refused", "not_implemented"})
      add(name, ItemKind::keyword);
    const Operator* op = operator_of(view_, entry);
    for (size_t i = 0; op != nullptr && i < op->schema.returns.size(); ++i)
      add(result_name(op->schema, i), ItemKind::variable);
  }

  void add_methods() {
    for (int i = 0; i < static_cast<int>(Property::count_); ++i)
      add(property_name(static_cast<Property>(i)), ItemKind::method);
    add_operators(ItemKind::method, false);
  }

  // In an expr other exprs, elsewhere every operator.
  void add_operators(ItemKind kind, bool only_expr) {
    if (view_.model == nullptr) return;
    for (const auto& [name, family] : view_.model->operators().families()) {
      const Operator& op = *family.overloads.front();
      if (op.is_generated() || op.forms->form == Form::out || (only_expr && !op.is_expr()))
        continue;
      add(name, kind, print(op.schema), op.face->doc);
    }
  }

  const View& view_;
  uint32_t offset_;
  uint32_t word_;  // where the word begins that is being written
  Json items_ = Json::array();
};

}  // namespace

Json completions(const View& view, uint32_t offset) { return Completer(view, offset).run(); }

}  // namespace opweave::codegen::lsp
