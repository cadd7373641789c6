// The page of an operator.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/docs/site.h"
#include "codegen/emit/entries/entries.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/lint/kept.h"
#include "codegen/math/operator_math.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/entries/entry.h"
#include "codegen/model/gradients/agreement.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// Each line is an element of its own, which the style indents where it is broken; not at the arrow.
Html code_block(const std::vector<std::string>& lines) {
  Html block = html("pre", {{"class", "lines"}}, {});
  for (const std::string& line : lines) {
    const size_t arrow = std::min(line.rfind(" -> "), line.size());
    Html code = html("code", line.substr(0, arrow));
    if (arrow < line.size()) {
      code.add(" ");
      code.add(html("span", {{"class", "keep"}}, {html_text(line.substr(arrow + 1))}));
    }
    block.add(std::move(code.add("\n")));
  }
  return block;
}

// A name may be broken after what it is joined with.
Html name_link(const std::string& target, std::string_view name) {
  Html link = html("a", {{"href", target}}, {});
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('_', begin + 1), name.size() - 1) + 1;
    if (begin > 0) link.add(html("wbr"));
    link.add(name.substr(begin, end - begin));
    begin = end;
  }
  return link;
}

// Whether it reads as well in a line of text.
bool is_flat(const MathNode& math) {
  constexpr MathKind kTall[] = {MathKind::fraction, MathKind::power, MathKind::root,
                                MathKind::cases, MathKind::partial};
  return std::ranges::count(kTall, math.kind) == 0 &&
         std::ranges::all_of(math.parts, [](const Math& part) { return is_flat(*part); });
}

// Text with `code` in backticks.
Html prose(std::string tag, std::string_view text) {
  Html node = html(std::move(tag));
  for (bool is_code = false; !text.empty(); is_code = !is_code) {
    const size_t end = text.find('`');
    const std::string_view part = text.substr(0, end);
    node.add(is_code ? html("code", part) : html_text(part));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return node;
}

std::string promotion_text(const Operator& op) {
  if (!op.is_expr()) return "";
  std::string text;
  switch (op.elements->promotion.compute) {
    case ComputeRule::common:
      text = "the promoted dtype of the arguments";
      break;
    case ComputeRule::int_to_float:
      text = "the promoted dtype of the arguments, where integers and truth values become floats";
      break;
    case ComputeRule::first:
      text = "the dtype of the first tensor";
      break;
    case ComputeRule::same:
      text = "the dtype that all tensors have";
      break;
  }
  return op.elements->promotion.result == ResultRule::boolean ? "bool; computed in " + text : text;
}

std::string batching_text(const Operator& op) {
  switch (op.policies->batching) {
    case Batching::loop:
      return "one example after the other";
    case Batching::none:
      return "not under vmap, or as its kernel says";
    case Batching::example:
      return "by a formula for one example";
    case Batching::batch:
      return "by a formula for tensors with the examples in front";
    case Batching::same:
      return "by itself, whatever stands in front";
    case Batching::sized:
      return "with its sizes and dimensions moved behind the examples";
    case Batching::dims:
      return "all examples at once, with its dimensions moved behind them";
    case Batching::pointwise:
      return "all examples at once: its tensors broadcast";
    case Batching::automatic:
      break;
  }
  const BatchRule rule = op.lowered->batching.rule;
  if (rule == BatchRule::pointwise) return "all examples at once: its tensors broadcast";
  if (rule == BatchRule::dims) return "all examples at once, with its dimensions moved behind them";
  if (rule == BatchRule::loop) return "one example after the other";
  if (rule == BatchRule::random)
    return "one draw for all examples or one for each, as vmap's randomness says";
  return op.calls_operators() ? "through the operators that it calls"
                              : "as ever: it takes no tensor";
}

std::string autocast_text(const AutocastPolicies& p) {
  constexpr std::string_view kTexts[] = {"as called", "in the region's dtype", "in float32",
                                         "in the widest", "refused"};
  const std::string cpu(kTexts[size_t(p.cpu)]), others(kTexts[size_t(p.others)]);
  return p.cpu != p.others ? cpu + " on the CPU, " + others + " elsewhere" : p.any() ? cpu : "";
}

// Handwritten kernels check dtypes themselves, unless the entry limits them.
std::string dtypes_text(const Operator& op) {
  const bool unlimited = op.selected->dtypes.bits == dtypes::kCommon;
  if (!unlimited || op.is_expr()) return dtype_names(op.selected->dtypes.bits);
  if (op.schema.find_argument("dtype") >= 0 && op.tensor_arguments().empty())
    return "as the argument dtype says";
  return op.calls_operators() ? "those of the operators that it calls"
                              : "those that its kernel takes";
}

std::string differentiable_text(const Operator& op) {
  switch (op.gradient->differentiability) {
    case Differentiability::none:
      return "no: its results never require a gradient";
    case Differentiability::through:
      return "yes, through the operators that it calls";
    case Differentiability::not_implemented:
      return "not implemented";
    case Differentiability::formula:
      break;
  }
  const bool derived = std::ranges::all_of(op.gradient->derivative->formulas,
                                           [](const DerivativeFormula& f) { return f.derived; });
  return derived ? "yes, by what is derived from its expression" : "yes, by formulas";
}

std::string agreement_note(const DerivativeFormula& formula) {
  using How = Agreement::How;
  const bool compared =
      formula.agreement.how == How::by_algebra || formula.agreement.how == How::in_numbers;
  return compared ? fmt::format("Equal to the derivative of the expression {}.",
                                how_equal(formula.agreement))
                  : "";
}

class OverloadPage {
 public:
  OverloadPage(const Site& site, const Operator& op, std::vector<Html>& out)
      : site_(site), op_(op), out_(out) {}

  void print() {
    if (!op_.face->doc.empty()) out_.push_back(prose("p", op_.face->doc));
    calls("Python", [&](const Operator& form) { return site_.python_calls(form); });
    calls("C++", [&](const Operator& form) { return site_.cpp_calls(form); });
    heading("Schema");
    out_.push_back(code_block({opweave::codegen::print(op_.schema)}));
    computation();
    results();
    gradients();
    tangents();
    heading("Facts");
    out_.push_back(facts());
    samples();
  }

 private:
  void heading(std::string_view text) { out_.push_back(html("h3", text)); }

  template <typename Calls>
  void calls(std::string_view language, Calls of) {
    std::vector<std::string> lines;
    for (const Operator* form : {&op_, op_.forms->inplace, op_.forms->out}) {
      if (form == nullptr) continue;
      for (std::string& line : of(*form)) lines.push_back(std::move(line));
    }
    if (lines.empty()) return;
    heading(language);
    out_.push_back(code_block(lines));
  }

  // Browsers do not break mathematics: what is long and flat is printed as text.
  void equation(const Math& math) {
    constexpr size_t kLongLine = 36;
    std::string text = math_text(*math);
    const bool is_text = text.size() > kLongLine && is_flat(*math);
    out_.push_back(
        html("div", {{"class", "math"}}, {is_text ? html("p", text) : html_math(math, true)}));
  }

  void equations(std::string_view title, const std::vector<Math>& all) {
    if (!all.empty() && !title.empty())
      out_.push_back(html("p", {{"class", "soft"}}, {html_text(title)}));
    for (const Math& math : all) equation(math);
  }

  void computation() {
    const Math value = value_math(op_);
    if (value == nullptr) return;
    heading("What it computes");
    equation(value);
    if (op_.formulas->composite) equations("where", where_math(op_, {value}));
  }

  void results() {
    const std::vector<Math> shapes = shape_math(op_), requirements = requirement_math(op_);
    const bool data = op_.rule != nullptr && op_.rule->data;
    if (shapes.empty() && requirements.empty() && !data) return;
    heading("Results");
    if (data) out_.push_back(html("p", "The elements decide what the results look like."));
    std::vector<Math> all = shapes;
    all.insert(all.end(), requirements.begin(), requirements.end());
    equations("", shapes);
    equations("A call requires:", requirements);
    if (op_.formulas->composite == nullptr) equations("where", where_math(op_, all));
  }

  void gradients() {
    const std::vector<GradientMath> all = gradient_math(op_);
    if (all.empty()) return;
    heading("Gradients");
    bool reads_grad = false;
    for (const GradientMath& gradient : all) {
      equation(gradient.equation);
      reads_grad |= gradient.equation->part(0).kind != MathKind::partial;
      const auto& formula = *op_.gradient->derivative->formula_of(gradient.arguments[0]);
      if (const std::string note = agreement_note(formula); !note.empty())
        out_.push_back(html("p", {{"class", "soft"}}, {html_text(note)}));
    }
    const bool several = op_.schema.returns.size() > 1;
    if (reads_grad)
      out_.push_back(html("p", {{"class", "soft"}},
                          {html_text(several ? "grad₀ is the gradient of the first result."
                                             : "grad is the gradient of the result.")}));
  }

  void tangents() {
    const std::vector<Math> all = forward_math(op_);
    if (all.empty()) return;
    heading("Forward mode");
    for (const Math& math : all) equation(math);
    out_.push_back(html("p", {{"class", "soft"}}, {html_text("d stands before tangents.")}));
  }

  static void row(Html& table, std::string_view name, Html cell) {
    table.add(html("tr", {}, {html("th", {{"scope", "row"}}, {html_text(name)}), std::move(cell)}));
  }
  static void row(Html& table, std::string_view name, const std::string& text) {
    if (!text.empty()) row(table, name, html("td", text));
  }

  Html facts() {
    Html body = html("tbody");
    const std::string found = site_.found_dtypes(op_);
    row(body, "Dtypes", found.empty() ? dtypes_text(op_) : found);
    row(body, "Result dtype", promotion_text(op_));
    if (op_.face->python_operator != nullptr)
      row(body, "In Python's syntax", std::string(op_.face->python_operator->spelling));
    row(body, "Implementation", implementation());
    row(body, "View", op_.is_view() ? "the result shares memory with its argument" : "");
    row(body, "Differentiable", differentiable_text(op_));
    if (op_.gradient->derivative) row(body, "Backward keeps", describe_kept(kept_by(op_)));
    row(body, "Under jvp", forward_source(op_));
    row(body, "Under vmap", batching_text(op_));
    row(body, "Under autocast", autocast_text(op_.policies->autocast));
    std::string tags;
    for (const std::string& tag : op_.face->tags) tags += (tags.empty() ? "" : ", ") + tag;
    row(body, "Tags", tags);
    return html("table", std::vector<Html>{std::move(body)});
  }

  Html implementation() {
    if (op_.is_expr()) return html("td", "generated from its expression, for every target");
    if (op_.formulas->composite != nullptr) return html("td", "a formula over other operators");
    Html cell = html("td");
    for (const std::string& target : op_.computation->targets) {
      if (!cell.children.empty()) cell.add(html("br"));
      cell.add(target + ": ");
      const std::vector<std::string> places = site_.kernel_places(op_, target);
      if (places.empty()) cell.add("handwritten");
      for (size_t i = 0; i < places.size(); ++i) {
        if (i > 0) cell.add(", ");
        cell.add(html("code", places[i]));
      }
    }
    return cell;
  }

  void samples() {
    if (op_.face->internal || op_.forms->form != Form::functional) return;
    const std::vector<std::string> lines = sample_calls(op_);
    if (lines.empty()) return;
    Html details = html("details");
    details.add(html("summary", "What tests call it with"));
    details.add(code_block(lines));
    out_.push_back(std::move(details));
  }

  const Site& site_;
  const Operator& op_;
  std::vector<Html>& out_;
};

Html names_list(const std::vector<std::string>& names, const std::string& root) {
  Html list = html("ul", {{"class", "names"}}, {});
  for (const std::string& name : names) {
    list.add(html("li", std::vector<Html>{name_link(root + page_of(name), name)}));
  }
  return list;
}

std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace

std::vector<Html> topic_page(const Site& site, const Topic& topic) {
  std::vector<Html> out;
  out.push_back(html("h1", topic.name));
  const std::string kind = topic.internal ? ", used by formulas only" : "";
  out.push_back(html("p", {{"class", "soft"}}, {html_text(topic.section + kind)}));
  for (const Operator* op : topic.overloads) {
    if (topic.overloads.size() > 1)
      out.push_back(html("h2", {{"id", op->name.identifier}}, {html_text(op->name.full)}));
    OverloadPage(site, *op, out).print();
  }
  if (const std::vector<std::string> related = site.related(topic); !related.empty()) {
    out.push_back(html("h2", "Related operators"));
    out.push_back(names_list(related, "../"));
  }
  return out;
}

std::vector<Html> index_page(const Site& site, const Guides& guides) {
  std::vector<Html> out;
  std::vector<std::string> sections;
  std::map<std::string, std::vector<std::string>> by_section;
  std::vector<std::string> internal;
  for (const Topic& topic : site.topics()) {
    if (topic.internal) {
      internal.push_back(topic.name);
      continue;
    }
    if (!by_section.contains(topic.section)) sections.push_back(topic.section);
    by_section[topic.section].push_back(topic.name);
  }
  out.push_back(html("h1", "Operators"));
  out.push_back(html("p", fmt::format("{} operators, by the sections of ops.yaml. Every page says "
                                      "how to call one, what it computes, and its gradient.",
                                      site.topics().size() - internal.size())));
  if (!guides.all().empty()) {
    out.push_back(html("h2", "Guides"));
    out.push_back(guides.list());
  }
  std::ranges::sort(sections);
  for (const std::string& section : sections) {
    out.push_back(html("h2", section));
    std::ranges::sort(by_section[section]);
    out.push_back(names_list(by_section[section], ""));
  }
  if (internal.empty()) return out;
  std::ranges::sort(internal);
  Html details = html("details");
  details.add(html("summary", fmt::format("Used by formulas alone ({})", internal.size())));
  details.add(names_list(internal, ""));
  out.push_back(std::move(details));
  return out;
}

std::string search_entry(const std::string& name, const std::string& page,
                         const std::string& section, const std::string& text) {
  return "[" + script_string(name) + "," + script_string(page) + "," + script_string(section) +
         "," + script_string(first_sentence(text)) + "],\n";
}

std::string search_index(const Site& site, const Guides& guides) {
  std::string text = "window.OPWEAVE_INDEX = [\n";
  for (const Topic& topic : site.topics()) {
    text += search_entry(topic.name, page_of(topic.name), topic.section,
                         topic.overloads.front()->face->doc);
  }
  return text + guides.search_entries() + "];\n";
}

}  // namespace opweave::codegen
