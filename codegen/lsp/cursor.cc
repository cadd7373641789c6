// From a place to what it means.
#include "codegen/lsp/cursor.h"

#include "codegen/lsp/calls.h"

namespace opweave::codegen::lsp {
namespace {

bool is_call(std::string_view text, Range word) {
  size_t at = word.end;
  while (at < text.size() && text[at] == ' ') ++at;
  return at < text.size() && text[at] == '(';
}

bool is_argument(const View& view, const Entry& entry, std::string_view word) {
  if (const EntrySchema own = schema_of(entry, view.text); own.schema)
    return own.schema->find_argument(word) >= 0;
  const Operator* op = operator_of(view, entry);
  return op != nullptr && op->schema.find_argument(word) >= 0;
}

Cursor::Kind kind_in_key(const View& view, const Cursor& cursor) {
  if (cursor.key == nullptr) return Cursor::Kind::nothing;
  const bool names_arguments = cursor.key == view.outline.keys->other;
  return names_arguments ? Cursor::Kind::argument : Cursor::Kind::key;
}

bool holds_formulas(const Key& key) { return key.is_formula() || !key.fields.empty(); }

Cursor::Kind kind_in_value(const View& view, const Cursor& cursor) {
  const Key& key = *cursor.key;
  const bool argument = is_argument(view, *cursor.entry, cursor.word);
  const Range name = name_of(*cursor.entry, view.text);
  if (key.presence == Presence::required)
    return name.contains(cursor.offset) ? Cursor::Kind::name
           : argument                   ? Cursor::Kind::argument
                                        : Cursor::Kind::nothing;
  if (holds_formulas(key)) {
    if (is_call(view.text, cursor.range)) return Cursor::Kind::function;
    if (argument) return Cursor::Kind::argument;
    return key.is_formula() ? Cursor::Kind::other : Cursor::Kind::value;
  }
  return key.names == Names::arguments && argument ? Cursor::Kind::argument : Cursor::Kind::value;
}

}  // namespace

EntrySchema schema_of(const Entry& entry, std::string_view text) {
  EntrySchema result;
  const Field* func = entry.find(text, "func");
  if (func == nullptr) return result;
  Range value = func->value;
  const bool quoted =
      value.end > value.begin + 1 && (text[value.begin] == '"' || text[value.begin] == '\'');
  if (quoted) value = {value.begin + 1, value.end - 1};
  result.base = value.begin;
  result.source = std::make_unique<Source>("", std::string(value.of(text)));
  DiagnosticSink ignored;
  result.schema = parse_schema({result.source->text(), result.source.get()}, ignored);
  return result;
}

const Operator* operator_of(const View& view, const Entry& entry) {
  if (view.model == nullptr) return nullptr;
  return view.model->operators().find(name_of(entry, view.text).of(view.text));
}

Cursor cursor_at(const View& view, uint32_t offset) {
  Cursor cursor;
  cursor.offset = offset;
  cursor.entry = view.outline.keys == nullptr ? nullptr : view.outline.entry_at(offset);
  if (cursor.entry == nullptr) return cursor;
  for (const Field& field : cursor.entry->fields) {
    if (field.key.contains(offset) || field.value.contains(offset)) cursor.field = &field;
  }
  cursor.range = word_around(view.text, offset);
  cursor.word = cursor.range.of(view.text);
  if (cursor.field == nullptr) return cursor;
  cursor.key = view.outline.keys->find(cursor.field->key.of(view.text));
  const bool in_key = cursor.field->key.contains(offset);
  if (in_key) {
    cursor.kind = kind_in_key(view, cursor);
  } else if (cursor.key != nullptr && !cursor.word.empty()) {
    cursor.kind = kind_in_value(view, cursor);
  }
  return cursor;
}

std::vector<const Operator*> operators_at(const View& view, const Cursor& cursor) {
  if (view.model == nullptr || cursor.entry == nullptr) return {};
  if (cursor.kind == Cursor::Kind::name || cursor.kind == Cursor::Kind::argument) {
    const Operator* op = operator_of(view, *cursor.entry);
    return op == nullptr ? std::vector<const Operator*>() : std::vector{op};
  }
  if (cursor.kind != Cursor::Kind::function) return {};
  if (view.current) {
    for (const Call& call : calls_of(*view.model)) {
      const Span& span = call.name;
      const bool here = span.source->path() == view.path && span.begin == cursor.range.begin;
      if (here && call.op->name.base == cursor.word) return {call.op};
    }
  }
  const OperatorFamily* family = view.model->operators().family(cursor.word);
  if (family == nullptr) return {};
  std::vector<const Operator*> overloads = family->overloads;
  std::erase_if(overloads, [](const Operator* op) { return op->forms->form == Form::out; });
  return overloads;
}

}  // namespace opweave::codegen::lsp
