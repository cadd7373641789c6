// What the lint says.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codegen/lint/lint.h"
#include "codegen/model/gradients/agreement.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

bool is_listed(const Operator& op) {
  return op.gradient->derivative != nullptr && !op.origin.imported && !op.is_generated() &&
         op.forms->form == Form::functional;
}

// "ops.yaml:12:3: "
std::string place(const Span& span) {
  if (span.source == nullptr) return "";
  const Position position = span.source->position(span.begin);
  return fmt::format("{}:{}:{}: ", span.source->path(), position.line, position.column);
}

std::string indented(const std::string& lines) {
  std::string text;
  for (char c : "\n" + lines) text += c == '\n' ? "\n      " : std::string(1, c);
  return text;
}

std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("{}note: '{}' keeps '{}' alive; {}\n", place(finding.span),
                                 finding.op->name.full, finding.tensor, finding.message);
  if (!finding.rewrite.empty())
    text += fmt::format("    write instead, or leave out:{}\n", indented(finding.rewrite));
  return text;
}

Json finding_json(const Finding& finding) {
  Json json{{"operator", finding.op->name.full},
            {"tensor", finding.tensor},
            {"message", finding.message},
            {"location", place(finding.span)}};
  json["rewrite"] = finding.rewrite.empty() ? Json() : Json(finding.rewrite);
  json["allowed"] = finding.allowed.empty() ? Json() : Json(finding.allowed);
  return json;
}

// Bytes per element of all kept tensors, for every floating dtype that the operator runs in.
Json bytes_json(const Operator& op, const Kept& kept) {
  Json json = Json::object();
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (!contains(op.selected->dtypes.bits & dtypes::kFloating, dtype)) continue;
    int bytes = 0;
    for (const KeptTensor& tensor : kept.tensors) bytes += tensor.bytes(dtype);
    json[std::string(dtype_name(dtype))] = bytes;
  }
  return json;
}

}  // namespace

std::string lint_text(const Model& model, bool all) {
  std::string text;
  int operators = 0, nothing = 0, allowed = 0;
  for (const Operator* op : model.operators().all()) {
    if (!is_listed(*op)) continue;
    const Kept kept = kept_by(*op);
    ++operators;
    nothing += kept.tensors.empty() ? 1 : 0;
    if (all) text += fmt::format("{}: {}\n", op->name.full, describe_kept(kept));
  }
  const std::vector<Finding> findings = find_kept_too_long(model);
  for (const Finding& finding : findings) {
    allowed += finding.allowed.empty() ? 0 : 1;
    if (finding.allowed.empty()) {
      text += finding_text(finding);
    } else if (all) {
      text +=
          fmt::format("{} keeps {}: {}\n", finding.op->name.full, finding.tensor, finding.allowed);
    }
  }
  text += partial_agreement_text(model);
  return text + fmt::format(
                    "{} differentiable operators, {} keep no tensor; {} could keep less, "
                    "{} of these with a reason\n",
                    operators, nothing, findings.size(), allowed);
}

std::string lint_json(const Model& model) {
  Json document{{"version", 1}, {"tool", "opweave"}};
  document["operators"] = Json::array();
  for (const Operator* op : model.operators().all()) {
    if (!is_listed(*op)) continue;
    const Kept kept = kept_by(*op);
    Json tensors = Json::array();
    for (const KeptTensor& tensor : kept.tensors) tensors.push_back(tensor.name);
    document["operators"].push_back({{"operator", op->name.full},
                                     {"tensors", tensors},
                                     {"values", kept.values},
                                     {"bytes_per_element", bytes_json(*op, kept)}});
  }
  document["findings"] = Json::array();
  for (const Finding& finding : find_kept_too_long(model))
    document["findings"].push_back(finding_json(finding));
  return document.dump(2) + "\n";
}

namespace {

// What became of one formula; nothing if it was not asked for.
std::string agreement_line(const Operator& op, const DerivativeFormula& formula) {
  const Agreement& found = formula.agreement;
  if (found.how == Agreement::How::not_asked) return "";
  const std::string what = found.how == Agreement::How::not_compared
                               ? "not compared: " + found.reason
                               : "equal " + how_equal(found);
  return fmt::format("{} by {}: {}\n", op.name.full, op.schema.arguments[formula.inputs[0]].name,
                     what);
}

template <typename Wanted>
std::string agreement_lines(const Model& model, Wanted&& wanted) {
  std::string text;
  for (const Operator* op : model.operators().all()) {
    if (!is_listed(*op)) continue;
    for (const DerivativeFormula& formula : op->gradient->derivative->formulas)
      text += wanted(formula.agreement) ? agreement_line(*op, formula) : "";
  }
  return text;
}

}  // namespace

std::string agreement_text(const Model& model) {
  return agreement_lines(model, [](const Agreement&) { return true; });
}

std::string partial_agreement_text(const Model& model) {
  return agreement_lines(model, [](const Agreement& found) {
    return !found.partly.empty() || !found.exception.empty();
  });
}

}  // namespace opweave::codegen
