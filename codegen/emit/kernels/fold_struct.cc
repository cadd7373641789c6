// Programs of folds as C++.
#include <algorithm>

#include "codegen/emit/kernels/element_text.h"
#include "codegen/emit/kernels/fold_printers.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// `fold::Max`
std::string_view struct_of(FoldKind kind) {
  switch (kind) {
    case FoldKind::product:
      return "fold::Product";
    case FoldKind::maximum:
      return "fold::Max";
    case FoldKind::minimum:
      return "fold::Min";
    default:
      return "fold::Sum";
  }
}

// What stands in one pass: an expression, or several, over an element `e`.
class PassText : public ElementText {
 public:
  // `walk`: which it is; -1 of numbers of the row.
  PassText(const Operator& op, const PointwiseLayout& layout, int walk)
      : op_(op), layout_(layout), program_(*op.lowered->fold), walk_(walk) {}

  // As a number, which all slots hold.
  std::string number(const ElementNode& node) {
    const std::string text = value(node);
    return node.type == ElementType::boolean ? "m::to_value(d, " + text + ")" : text;
  }

  // A slot that is being computed is none of those that are known.
  void compute(const ElementNode& node) { computed_ = &node; }

 private:
  std::string known(const ElementNode& node) override {
    if (&node == computed_) return {};
    if (const auto slot = program_.slots.find(&node); slot != program_.slots.end()) {
      const std::string state = "e.template state<" + std::to_string(slot->second) + ">()";
      return node.type == ElementType::boolean ? "m::to_boolean(" + state + ")" : state;
    }
    return {};
  }

  // What an earlier walk has kept.
  const KeptElement* kept(const ElementNode& node) const {
    for (const KeptElement& each : program_.kept) {
      if (each.node == &node && walk_ > static_cast<int>(each.walk)) return &each;
    }
    return nullptr;
  }
  bool has_alternatives(const ElementNode& node) const override { return kept(node) != nullptr; }
  bool alternatives_read_it() const override { return false; }
  std::string alternatives(const ElementNode& node, std::string text) override {
    return "e.template kept<" + std::to_string(kept(node)->result) +
           ">([&]() OW_FOLD_LAMBDA { return " + text + "; })";
  }

  std::string leaf(const ElementNode& node) override {
    if (node.op == ElementOp::extent) return "e.size()";
    if (node.op == ElementOp::coordinate) return coordinate(node.index);
    if (node.op != ElementOp::argument) return flag_text(layout_, node);
    const Argument& argument = op_.schema.arguments[node.index];
    if (argument.type.is_tensor()) return element(node.index);
    const std::string name = variable(argument.name);
    return node.type == ElementType::boolean ? "m::to_boolean(" + name + ")" : name;
  }

  std::string coordinate(uint16_t index) const {
    const auto found = std::ranges::find(program_.coordinates, index);
    return "e.template coordinate<" + std::to_string(found - program_.coordinates.begin()) + ">()";
  }

  std::string element(uint16_t argument) {
    const auto input = std::ranges::find(program_.inputs, argument);
    if (input != program_.inputs.end())
      return "e.template in<" + std::to_string(input - program_.inputs.begin()) + ">()";
    const auto row = std::ranges::find(program_.rows, argument);
    return "e.template row<" + std::to_string(row - program_.rows.begin()) + ">()";
  }

  const Operator& op_;
  const PointwiseLayout& layout_;
  const FoldProgram& program_;
  int walk_;
  const ElementNode* computed_ = nullptr;
};

class FoldStruct {
 public:
  explicit FoldStruct(const Operator& op)
      : op_(op), program_(*op.lowered->fold), layout_(pointwise_layout(op)) {}

  std::string print() {
    for (size_t i = 0; i < layout_.params.size(); ++i) {
      body_.print({{"name", layout_.params[i].name}, {"i", std::to_string(i)}},
                  "[[maybe_unused]] const auto $name$ = r.template param<$i$>();");
    }
    print_values(program_.begin);
    for (size_t i = 0; i < program_.walks.size(); ++i) print_walk(i);
    if (program_.has_last_walk()) print_last_walk();
    for (const ResultValue& result : program_.row_results) print_row_result(result);
    Printer p;
    p.print({{"id", op_.name.identifier}, {"body", body_.take()}},
            "struct $id$_fold {\n"
            "  template <class R>\n"
            "  static OW_FOLD void run(R& r) {\n"
            "    [[maybe_unused]] const auto d = r.tag();\n"
            "    $body$\n"
            "  }\n"
            "};");
    return p.take();
  }

 private:
  PassText pass(int walk) const { return {op_, layout_, walk}; }

  void print_walk(size_t index) {
    const FoldWalk& walk = program_.walks[index];
    PassText text = pass(static_cast<int>(index));
    for (const FoldTerm& term : walk.terms) text.count_uses(*term.node);
    for (const KeptElement& kept : program_.kept) {
      if (kept.walk == index) text.count_uses(*kept.node);
    }
    CommaList terms, folds;
    for (const KeptElement& kept : program_.kept) {
      if (kept.walk != index) continue;
      const std::string value = text.number(*kept.node);
      text.body().print({{"k", std::to_string(kept.result)}, {"value", value}},
                        "e.template keep<$k$>($value$);");
    }
    for (const FoldTerm& term : walk.terms) {
      terms.add(text.number(*term.node));
      folds.add(std::string(struct_of(term.kind)));
    }
    body_.print({{"slot", std::to_string(walk.terms.front().slot)},
                 {"together", std::to_string(walk.together)},
                 {"folds", folds.text()},
                 {"body", text.body().take()},
                 {"terms", terms.text()}},
                "r.template fold<$slot$, $together$, $folds$>([=](auto e) OW_FOLD_LAMBDA {\n"
                "  $body$\n"
                "  return e.terms($terms$);\n"
                "});");
    print_values(walk);
  }

  void print_values(const FoldWalk& walk) {
    for (const RowValue& value : walk.values) {
      PassText text = pass(-1);
      text.compute(*value.node);
      text.count_uses(*value.node);
      const std::string number = text.number(*value.node);
      body_.print(
          {{"slot", std::to_string(value.slot)}, {"body", text.body().take()}, {"number", number}},
          "r.template value<$slot$>([=](auto e) OW_FOLD_LAMBDA {\n"
          "  $body$\n"
          "  return $number$;\n"
          "});");
    }
  }

  void print_last_walk() {
    PassText text = pass(static_cast<int>(program_.walks.size()));
    for (const ResultValue& result : program_.elements) text.count_uses(*result.node);
    for (const ResultValue& result : program_.columns) text.count_uses(*result.node);
    // What stands in a result's memory is read before that is written.
    std::vector<std::pair<std::string, std::string>> writes;
    for (const ResultValue& result : program_.elements)
      writes.emplace_back("put<" + std::to_string(result.result) + ">", text.number(*result.node));
    for (const ResultValue& result : program_.columns)
      writes.emplace_back("add<" + std::to_string(result.result) + ">", text.number(*result.node));
    for (const auto& [write, value] : writes)
      text.body().print({{"write", write}, {"value", value}}, "e.template $write$($value$);");
    body_.print({{"body", text.body().take()}},
                "r.map([=](auto e) OW_FOLD_LAMBDA {\n"
                "  $body$\n"
                "});");
  }

  void print_row_result(const ResultValue& result) {
    PassText text = pass(-1);
    text.count_uses(*result.node);
    const std::string number = text.number(*result.node);
    body_.print(
        {{"k", std::to_string(result.result)}, {"body", text.body().take()}, {"number", number}},
        "r.template result<$k$>([=]([[maybe_unused]] auto e) OW_FOLD_LAMBDA {\n"
        "  $body$\n"
        "  return $number$;\n"
        "});");
  }

  const Operator& op_;
  const FoldProgram& program_;
  const PointwiseLayout layout_;
  Printer body_;
};

}  // namespace

std::string print_fold_struct(const Operator& op) { return FoldStruct(op).print(); }

void print_fold_spec(Printer& p, const Operator& op) {
  const FoldProgram& program = *op.lowered->fold;
  const FoldFormula& fold = *op.elements->fold;
  CommaList axes, names;
  const auto add = [&](AxisMask mask, const std::string& name) {
    axes.add(std::string("plans::FoldAxes::") + (mask == kAllAxes    ? "kAll"
                                                 : mask == kKeptAxes ? "kKept"
                                                                     : "kFolded"));
    names.add(quoted(name));
  };
  for (const auto* arguments : {&program.inputs, &program.rows}) {
    for (uint16_t i : *arguments) add(fold.arguments[i], op.schema.arguments[i].name);
  }
  for (size_t i = 0; i < fold.results.size(); ++i) add(fold.result_axes[i], out_name(op.schema, i));
  for (uint16_t index : program.coordinates) {
    const bool folded = index == kFoldedPlace;
    add(folded ? kFoldedAxes : kKeptAxes,
        std::string(folded ? fold.axis : fold.named[index - 1].name));
  }
  p.print({{"id", op.name.identifier},
           {"name", quoted(spoken_name(op))},
           {"inputs", std::to_string(program.inputs.size())},
           {"rows", std::to_string(program.rows.size())},
           {"results", std::to_string(fold.results.size())},
           {"coordinates",
            program.coordinates.empty() ? "" : ", " + std::to_string(program.coordinates.size())},
           {"axes", axes.text()},
           {"names", names.text()}},
          "constexpr plans::FoldSpec $id$_fold_spec{\n"
          "    $name$, $inputs$, $rows$, $results$, {$axes$}, {$names$}$coordinates$};");
}

}  // namespace opweave::codegen
