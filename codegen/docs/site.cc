// Collecting what pages tell, and their frame.
#include "codegen/docs/site.h"

#include <algorithm>

#include "codegen/emit/text/signature.h"
#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {
namespace {

// "# --- Reductions -----": what stands above an entry.
std::string section_above(const Span& span) {
  const std::string_view text = span.source->text().substr(0, span.begin);
  constexpr std::string_view kMark = "\n# --- ";
  const size_t at = ("\n" + std::string(text)).rfind(kMark);
  if (at == std::string::npos) return "Operators";
  std::string_view rest = text.substr(at + kMark.size() - 1);
  rest = rest.substr(0, rest.find('\n'));
  return std::string(rest.substr(0, rest.find(" --")));
}

bool is_own(const Operator& op) {
  return !op.origin.imported && !op.is_generated() && op.forms->form != Form::out &&
         (op.forms->form != Form::inplace || op.forms->functional == nullptr);
}

std::string module_path(const std::string& module) {
  if (module == kNnFunctional) return "opweave.nn.functional.";
  return module.empty() ? "opweave." : "opweave." + module + ".";
}

template <typename Visit>
void visit_calls(const FormulaNode& node, Visit visit) {
  if (node.kind == FormulaKind::call) visit(*node.op);
  for (const FormulaNode* operand : node.operands) visit_calls(*operand, visit);
}

}  // namespace

Site::Site(const Model& model, const DocsInput& input) : input_(input) {
  collect_topics(model);
  collect_calls(model);
  collect_related(model);
}

void Site::collect_topics(const Model& model) {
  for (const Operator* op : model.operators().all()) {
    if (!is_own(*op)) continue;
    auto [entry, is_new] = topic_index_.emplace(op->name.base, topics_.size());
    if (is_new) topics_.push_back({op->name.base, section_above(op->origin.span), true, {}});
    Topic& topic = topics_[entry->second];
    topic.overloads.push_back(op);
    topic.internal = topic.internal && op->face->internal;
  }
}

const Topic* Site::topic_of(const Operator& op) const {
  const Operator& own = is_own(op) || op.forms->functional == nullptr ? op : *op.forms->functional;
  auto found = topic_index_.find(own.name.base);
  return found == topic_index_.end() ? nullptr : &topics_[found->second];
}

void Site::collect_calls(const Model& model) {
  for (const PythonCallable& callable : public_functions(model)) {
    for (const PythonOverload& overload : callable.overloads) {
      python_[overload.op].push_back(
          python_signature(overload, module_path(callable.module) + callable.name));
    }
  }
  for (const PythonCallable& callable : python_methods(model)) {
    for (const PythonOverload& overload : callable.overloads) {
      python_[overload.op].push_back(python_signature(overload, "Tensor." + callable.name));
    }
  }
  std::vector<const Operator*> functions;
  for (const Operator* op : model.operators().all()) {
    const bool callable = op->face->function || op->forms->form == Form::out;
    if (!op->origin.imported && !op->face->internal && callable) functions.push_back(op);
  }
  for (const CppFunction& f : cpp_functions(functions))
    cpp_[f.op].push_back(f.face.result + " ow::" + f.name + "(" + front_parameters(f.face) + ")");
  for (const Operator* op : model.operators().all()) {
    const size_t self = method_self(*op);
    if (self == kNoSelf) continue;
    const Signature face = signature_of(*op);
    cpp_[op].push_back(face.result + " Tensor::" + cpp_identifier(op->name.base) + "(" +
                       front_parameters(face, self) + ")" +
                       (op->schema.arguments[self].type.is_mutated() ? "" : " const"));
  }
}

void Site::relate(const Operator& op, const FormulaNode& formula) {
  const Topic* from = topic_of(op);
  visit_calls(formula, [&](const Operator& called) {
    const Topic* to = topic_of(called);
    if (from == nullptr || to == nullptr || from == to) return;
    ++related_[from->name][to->name];
    ++related_[to->name][from->name];
  });
}

void Site::collect_related(const Model& model) {
  for (const Operator* op : model.operators().all()) {
    if (!is_own(*op)) continue;
    if (op->formulas->composite != nullptr) relate(*op, *op->formulas->composite);
    if (op->gradient->derivative == nullptr) continue;
    for (const DerivativeFormula& formula : op->gradient->derivative->formulas) {
      if (formula.formula != nullptr && !formula.derived) relate(*op, *formula.formula);
    }
  }
}

std::vector<std::string> Site::python_calls(const Operator& op) const {
  auto found = python_.find(&op);
  return found == python_.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> Site::cpp_calls(const Operator& op) const {
  auto found = cpp_.find(&op);
  return found == cpp_.end() ? std::vector<std::string>() : found->second;
}

std::string Site::found_dtypes(const Operator& op) const {
  const auto found = input_.dtypes.find(op.name.full);
  return found == input_.dtypes.end() ? "" : found->second;
}

std::vector<std::string> Site::kernel_places(const Operator& op, const std::string& target) const {
  std::vector<std::string> lines, files;
  const std::string folder(kernel_folder(target));
  for (const KernelSource& file : input_.kernels) {
    const bool is_named = file.includes.contains(folder + "/" + op.name.base);
    if (!is_named && !file.includes.contains(folder)) continue;
    const auto function = file.functions.find(op.name.identifier);
    if (function != file.functions.end())
      lines.push_back(file.path + ":" + std::to_string(function->second));
    if (is_named) files.push_back(file.path);
  }
  return lines.empty() ? files : lines;
}

std::vector<std::string> Site::related(const Topic& topic) const {
  std::vector<std::string> names;
  auto found = related_.find(topic.name);
  if (found == related_.end()) return names;
  for (const auto& [name, count] : found->second) names.push_back(name);
  return names;
}

std::string page_of(const std::string& topic) { return "ops/" + topic + ".html"; }

std::string print_page(const std::string& title, const std::string& root, std::vector<Html> main) {
  Html head = html(
      "head",
      {html("meta", {{"charset", "utf-8"}}, {}),
       html("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}, {}),
       html("title", title), html("link", {{"rel", "icon"}, {"href", "data:,"}}, {}),
       html("link", {{"rel", "stylesheet"}, {"href", root + "style.css"}}, {})});
  Html search = html("div", {{"class", "search"}, {"role", "search"}},
                     {html("label", {{"for", "search"}}, {html_text("Search")}),
                      html("input",
                           {{"id", "search"},
                            {"type", "search"},
                            {"placeholder", "Search operators and guides  ( / )"},
                            {"autocomplete", "off"},
                            {"spellcheck", "false"}},
                           {}),
                      html("ul", {{"id", "results"}, {"aria-label", "Found pages"}}, {}),
                      html("span", {{"id", "found"}, {"class", "skip"}, {"role", "status"}}, {})});
  Html header =
      html("header",
           {html("a", {{"class", "skip"}, {"href", "#main"}}, {html_text("Skip to the text")}),
            html("a", {{"class", "home"}, {"href", root + "index.html"}}, {html_text("Opweave")}),
            std::move(search)});
  Html body = html("body", {{"data-root", root}},
                   {std::move(header), html("main", {{"id", "main"}}, std::move(main)),
                    html("footer", "Generated from ops.yaml and derivatives.yaml by opweave docs."),
                    html("script", {{"src", root + "index.js"}}, {}),
                    html("script", {{"src", root + "search.js"}}, {})});
  return print_document(html("html", {{"lang", "en"}}, {std::move(head), std::move(body)}));
}

}  // namespace opweave::codegen
