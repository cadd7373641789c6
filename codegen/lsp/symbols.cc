// From the outline to DocumentSymbols.
#include "codegen/lsp/symbols.h"

#include "codegen/lsp/convert.h"

namespace opweave::codegen::lsp {
namespace {

constexpr int kFunction = 12, kProperty = 7;

Json symbol(const Lines& lines, std::string_view name, int kind, Range whole, Range selection) {
  return {{"name", name},
          {"kind", kind},
          {"range", range_json(lines, whole)},
          {"selectionRange", range_json(lines, selection)}};
}

}  // namespace

Json document_symbols(const View& view) {
  Json symbols = Json::array();
  const Lines lines(view.text);
  for (const Entry& entry : view.outline.entries) {
    const Range name = name_of(entry, view.text);
    if (name.begin == name.end) continue;
    Json json = symbol(lines, name.of(view.text), kFunction, entry.range, name);
    for (const Field& field : entry.fields) {
      if (field.key.begin == field.key.end) continue;
      const Range whole{field.key.begin, std::max(field.key.end, field.value.end)};
      json["children"].push_back(
          symbol(lines, field.key.of(view.text), kProperty, whole, field.key));
    }
    symbols.push_back(std::move(json));
  }
  return symbols;
}

}  // namespace opweave::codegen::lsp
