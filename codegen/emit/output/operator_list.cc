// The operators of a library as JSON, one on each line.
#include "codegen/emit/output/operator_list.h"

#include "codegen/emit/output/output_table.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

std::string line_of(const Span& span) {
  if (!span) return "";
  return std::string(span.source->line(span.source->position(span.begin).line));
}

}  // namespace

std::string place_of(const Span& span) {
  if (!span) return "";
  return span.source->path() + ":" + std::to_string(span.source->position(span.begin).line);
}

std::vector<ListedOperator> listed_operators(const Model& model) {
  std::vector<ListedOperator> listed;
  for (const Operator* op : model.operators().all()) {
    if (op->origin.imported || op->selected->left_out) continue;
    const bool derived =
        op->is_generated() || (op->forms->functional != nullptr && op->forms->functional != op);
    listed.push_back({.name = op->name.full,
                      .schema = print(op->schema),
                      .function = op->face->python_name,
                      .place = place_of(op->origin.span),
                      .entry = line_of(op->origin.span),
                      .derived = derived});
  }
  return listed;
}

std::string operator_list(const Model& model, bool with_entries) {
  std::string text = "[";
  for (const ListedOperator& op : listed_operators(model)) {
    text += text.size() == 1 ? "\n" : ",\n";
    text += "  {\"name\": " + quoted(op.name) + ", \"schema\": " + quoted(op.schema) +
            ", \"place\": " + quoted(op.place);
    if (with_entries) text += ", \"entry\": " + quoted(op.entry);
    text += std::string(", \"derived\": ") + (op.derived ? "true" : "false") + "}";
  }
  return text + "\n]\n";
}

void emit_operator_list(Output& output) { output.add(operator_list(output.model, false)); }

}  // namespace opweave::codegen
