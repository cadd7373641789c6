// Where things are declared, computed and used.
#include "codegen/lsp/navigation.h"

#include <algorithm>
#include <filesystem>

#include "codegen/lsp/calls.h"
#include "codegen/lsp/convert.h"

namespace opweave::codegen::lsp {
namespace {

namespace fs = std::filesystem;

// The files of a view as they are now.
struct FileText {
  std::string path;
  std::string text;
  Outline outline;
};

std::vector<FileText> files_of(const View& view) {
  std::vector<FileText> files;
  const FileSet* set = view.workspace.files(view.path);
  if (set == nullptr) return files;
  for (const std::string& path : {set->ops, set->derivatives, set->imported}) {
    std::optional<std::string> text;
    if (!path.empty()) text = current_text(view.workspace.documents, path);
    if (!text) continue;
    FileText file{path, std::move(*text), {}};
    file.outline = outline_of(file.text);
    files.push_back(std::move(file));
  }
  return files;
}

// The name in the entry that declares the operator (or one that it is derived from).
const Entry* find_entry(const FileText& file, const Operator& op, const KeyTable& keys) {
  if (file.outline.keys != &keys) return nullptr;
  const auto has_name = [&](const Operator& named) {
    const auto found = std::ranges::find_if(file.outline.entries, [&](const Entry& entry) {
      return name_of(entry, file.text).of(file.text) == named.name.full;
    });
    return found == file.outline.entries.end() ? nullptr : &*found;
  };
  const Entry* own = has_name(op);
  return own == nullptr && op.forms->functional != nullptr ? has_name(*op.forms->functional) : own;
}

std::vector<Location> entries_of(const View& view, const Operator& op, const KeyTable& keys) {
  std::vector<Location> found;
  for (const FileText& file : files_of(view)) {
    if (const Entry* entry = find_entry(file, op, keys))
      found.push_back({file.path, name_of(*entry, file.text)});
  }
  return found;
}

// `self` in `Tensor self` of the schema.
std::vector<Location> argument_location(const View& view, const Cursor& cursor) {
  const Operator* op = operator_of(view, *cursor.entry);
  for (const FileText& file : files_of(view)) {
    const bool own = file.path == view.path && view.outline.keys == &operator_keys();
    const Entry* entry = own             ? file.outline.entry_at(cursor.offset)
                         : op != nullptr ? find_entry(file, *op, operator_keys())
                                         : nullptr;
    if (entry == nullptr) continue;
    const EntrySchema schema = schema_of(*entry, file.text);
    const int index = schema.schema ? schema.schema->find_argument(cursor.word) : -1;
    if (index < 0) continue;
    const Span& name = schema.schema->arguments[index].name_span;
    return {{file.path, {schema.base + name.begin, schema.base + name.end}}};
  }
  return {};
}

std::string root_of(const Operator& op) {
  return fs::path(op.origin.span.source->path()).parent_path().string();
}

void append(std::vector<Location>& to, std::vector<Location> more) {
  for (Location& location : more) {
    const auto same = [&](const Location& other) {
      return other.path == location.path && other.range.begin == location.range.begin;
    };
    if (std::ranges::none_of(to, same)) to.push_back(std::move(location));
  }
}

// `name(` in the formulas of a file.
void find_calls(const FileText& file, const std::string& name, bool only_expr,
                std::vector<Location>& found) {
  for (const Entry& entry : file.outline.entries) {
    for (const Field& field : entry.fields) {
      const Key* key = file.outline.keys->find(field.key.of(file.text));
      const bool formula = key != nullptr && (key->is_formula() || !key->fields.empty());
      if (!formula || (only_expr && field.key.of(file.text) != "expr")) continue;
      const std::string_view value = field.value.of(file.text);
      for (size_t at = value.find(name); at != std::string_view::npos;
           at = value.find(name, at + 1)) {
        const auto begin = static_cast<uint32_t>(field.value.begin + at);
        const Range word = word_around(file.text, begin);
        if (word.of(file.text) != name || file.text.substr(word.end, 1) != "(") continue;
        append(found, {{file.path, word}});
      }
    }
  }
}

std::vector<Location> uses_of(const View& view, const Operator& op) {
  std::vector<Location> found;
  for (const FileText& file : files_of(view)) {
    if (file.outline.keys != nullptr) find_calls(file, op.name.base, view.current, found);
  }
  if (!view.current) return found;
  for (const Call& call : calls_of(*view.model)) {
    if (call.op == &op) append(found, {location_of(call.name)});
  }
  return found;
}

}  // namespace

std::vector<Location> declarations(const View& view, const Cursor& cursor) {
  if (cursor.kind == Cursor::Kind::argument) return argument_location(view, cursor);
  std::vector<Location> found;
  for (const Operator* op : operators_at(view, cursor))
    append(found, entries_of(view, *op, operator_keys()));
  return found;
}

std::vector<Location> implementations(const View& view, const Cursor& cursor) {
  std::vector<Location> found;
  for (const Operator* op : operators_at(view, cursor)) {
    append(found, kernels_of(*op, root_of(*op)));
    for (const FileText& file : files_of(view)) {
      const Entry* entry = find_entry(file, *op, operator_keys());
      for (std::string_view key : {"expr", "composite"}) {
        const Field* field = entry == nullptr ? nullptr : entry->find(file.text, key);
        if (field != nullptr) append(found, {{file.path, field->value}});
      }
    }
  }
  return found;
}

std::vector<Location> definitions(const View& view, const Cursor& cursor) {
  const bool at_declaration =
      cursor.kind == Cursor::Kind::name && view.outline.keys == &operator_keys();
  std::vector<Location> found =
      at_declaration ? implementations(view, cursor) : std::vector<Location>();
  return found.empty() ? declarations(view, cursor) : found;
}

std::vector<Location> references(const View& view, const Cursor& cursor, bool with_declaration) {
  std::vector<Location> found;
  if (cursor.kind == Cursor::Kind::argument) return found;
  for (const Operator* op : operators_at(view, cursor)) {
    if (with_declaration) append(found, entries_of(view, *op, operator_keys()));
    append(found, entries_of(view, *op, derivative_keys()));
    append(found, uses_of(view, *op));
    append(found, kernels_of(*op, root_of(*op)));
    append(found, tests_of(*op, root_of(*op)));
  }
  return found;
}

}  // namespace opweave::codegen::lsp
