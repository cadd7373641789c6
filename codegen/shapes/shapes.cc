// From a written call to what it gives.
#include "codegen/shapes/shapes.h"

#include <fmt/format.h>

#include <map>

#include "codegen/diagnostics/suggest.h"
#include "codegen/shapes/bind.h"
#include "codegen/shapes/effort.h"
#include "codegen/shapes/evaluate.h"

namespace opweave::codegen {
namespace {

// What has been reported.
struct Reported {};

class Answer {
 public:
  Answer(const Model& model, DiagnosticSink& sink) : model_(model), sink_(sink) {}

  std::string text(const QueryNode& call) {
    const Effort::Scope effort;
    const auto [op, results] = run(call);
    std::string out;
    for (size_t i = 0; i < results.size(); ++i) {
      out += fmt::format("{}: {}\n", name_of(*op, i), text_of_result(*op, results[i]));
    }
    for (const std::string& condition : conditions_.all())
      out += fmt::format("where {}\n", condition);
    for (const auto& [name, part] : parts_.all()) out += fmt::format("with {} = {}\n", name, part);
    for (const auto& [name, argument] : labels_) out += fmt::format("{} is '{}'\n", name, argument);
    return out;
  }

 private:
  // The results of a list are numbered.
  static std::string name_of(const Operator& op, size_t i) {
    const bool list = op.schema.returns.size() == 1 && op.schema.returns[0].type.list;
    return list ? fmt::format("{}[{}]", result_name(op.schema, 0), i) : result_name(op.schema, i);
  }

  static std::string text_of_result(const Operator& op, const ShapedTensor& result) {
    if (!result.defined) return "none";
    std::string text = text_of(result.sizes) + (result.dtype.empty() ? "" : " " + result.dtype);
    if (op.is_view() && result.strides) text += " strides " + text_of(*result.strides);
    if (op.is_view() && result.offset) text += " offset " + result.offset->text();
    return text;
  }

  struct Ran {
    const Operator* op;
    std::vector<ShapedTensor> results;
  };

  [[noreturn]] void fail(Code code, Span span, std::string message) {
    sink_.error(code, span, std::move(message));
    throw Reported();
  }

  Ran run(const QueryNode& call) {
    try {
      const SharedParts::Scope scope(parts_);
      Values values;
      const Operator& op = choose(call, values);
      return {&op, results_of(op, values, conditions_)};
    } catch (const rule::NoShape& refusal) {
      fail(Code::wrong_arguments, call.span, refusal.why);
    }
  }

  // The first overload that takes the arguments, in the order of the file.
  const Operator& choose(const QueryNode& call, Values& values) {
    Bound first;
    for (const Operator* op : candidates(call)) {
      Bound bound =
          bind_arguments(call, op->schema, [this](const QueryNode& inner) { return value(inner); });
      if (bound.refusal.empty()) {
        values = std::move(bound.values);
        labels_.insert(labels_.end(), bound.labels.begin(), bound.labels.end());
        return *op;
      }
      if (first.refusal.empty()) first = std::move(bound);
    }
    if (first.refusal.empty()) {
      fail(Code::wrong_arguments, call.span,
           fmt::format("every overload of '{}' writes into tensors that it is given: name one of "
                       "them, with its overload",
                       call.text));
    }
    fail(Code::wrong_arguments, first.refusal_span,
         fmt::format("in the call of '{}': {}", call.text, first.refusal));
  }

  // The overload of that name, then those of its family. One that writes into `out` has to be
  // named.
  std::vector<const Operator*> candidates(const QueryNode& call) {
    std::vector<const Operator*> all;
    if (const Operator* op = model_.operators().find(call.text)) all.push_back(op);
    const OperatorFamily* family =
        model_.operators().family(call.text.substr(0, call.text.find('.')));
    if (!family) unknown(call);
    for (const Operator* op : family->overloads) {
      if (op->forms->form != Form::out && (all.empty() || op != all.front())) all.push_back(op);
    }
    return all;
  }

  [[noreturn]] void unknown(const QueryNode& call) {
    std::vector<std::string_view> names;
    for (const auto& [name, family] : model_.operators().families()) names.push_back(name);
    sink_.error(Code::unknown_function, call.span, fmt::format("unknown operator '{}'", call.text))
        .suggest(closest(call.text, names));
    throw Reported();
  }

  // Once, however many overloads are tried.
  Value value(const QueryNode& call) {
    const auto found = values_.find(&call);
    if (found != values_.end()) return found->second;
    const std::vector<ShapedTensor> results = run(call).results;
    return values_[&call] = {results.empty() ? ShapedTensor{} : results[0]};
  }

  const Model& model_;
  DiagnosticSink& sink_;
  Conditions conditions_;
  SharedParts parts_;
  std::vector<std::pair<std::string, std::string>> labels_;
  std::map<const QueryNode*, Value> values_;  // of the calls inside the call
};

}  // namespace

std::string shapes_text(std::string_view call, const Model& model, Sources& sources,
                        DiagnosticSink& sink) {
  const Source* source = sources.add("the call", std::string(call));
  const std::optional<QueryNode> query = parse_query({source->text(), source}, sink);
  if (!query) return {};
  try {
    return Answer(model, sink).text(*query);
  } catch (const Reported&) {
    return {};
  }
}

}  // namespace opweave::codegen
