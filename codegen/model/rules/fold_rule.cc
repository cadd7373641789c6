// Rules of folds, in the language of rules.
#include "codegen/model/rules/fold_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/expr/element_places.h"

namespace opweave::codegen {
namespace {

class FoldRule {
 public:
  FoldRule(const Operator& op, ModelStorage& storage)
      : op_(op), fold_(*op.elements->fold), storage_(storage) {}

  OutputEntry output(size_t index) {
    OutputEntry made;
    made.name = text(op_.schema.returns[index].name.empty() ? fmt::format("result{}", index)
                                                            : op_.schema.returns[index].name);
    made.size = text(fold_.is_whole(index) ? whole() : fold_.is_row(index) ? reduced() : folded());
    made.dtype = text(is_place(*fold_.results[index]) ? "int64" : dtype());
    made.span = op_.origin.span;
    return made;
  }

 private:
  const std::string& name(size_t argument) const { return op_.schema.arguments[argument].name; }
  std::string sizes() const { return name(fold_.whole) + ".sizes()"; }

  // With a look at whether there is such a dimension.
  std::string whole() const {
    if (fold_.over.kind != FoldDims::Kind::argument) return sizes();
    const Type& type = op_.schema.arguments[fold_.over.argument].type;
    if (type.list || type.optional) return sizes();
    return fmt::format("with_dim({}, {})", sizes(), name(fold_.over.argument));
  }

  // The sizes without what is folded, or with ones.
  std::string reduced() const {
    const std::string keepdim = fold_.keepdim >= 0 ? name(fold_.keepdim) : "false";
    const std::string& list = name(fold_.over.argument);
    switch (fold_.over.kind) {
      case FoldDims::Kind::argument:
        return fmt::format("reduced({}, {}, {})", sizes(), list, keepdim);
      case FoldDims::Kind::last:
        return fmt::format("first({0}.sizes(), {0}.dim() - {1}.size())", name(fold_.whole), list);
      case FoldDims::Kind::every:
        return fmt::format("reduced({}, [], {})", sizes(), keepdim);
      case FoldDims::Kind::fixed:
        break;
    }
    return fmt::format("reduced({}, [{}], {})", sizes(), fmt::join(fold_.over.dims, ", "), keepdim);
  }

  // The sizes of what is folded. Which dimensions a list names no rule can say: the entry does.
  std::string folded() const {
    const std::string& list = name(fold_.over.argument);
    switch (fold_.over.kind) {
      case FoldDims::Kind::last:
        return list;
      case FoldDims::Kind::argument:
        return fmt::format("[size_along({}, {})]", sizes(), list);
      case FoldDims::Kind::every:
        return sizes();
      case FoldDims::Kind::fixed:
        break;
    }
    std::string dims;
    for (int64_t dim : fold_.over.dims)
      dims += fmt::format("{}{}.size({})", dims.empty() ? "" : ", ", name(fold_.whole), dim);
    return "[" + dims + "]";
  }

  // Of the tensors whose elements are read as numbers; whole ones become floats where those are
  // needed.
  std::string dtype() const {
    std::string common;
    for (size_t i = 0; i < op_.schema.arguments.size(); ++i) {
      const Argument& argument = op_.schema.arguments[i];
      if (!argument.type.is_tensor() || argument.type.optional ||
          !op_.elements->arguments[i].promotes)
        continue;
      const std::string own = argument.name + ".scalar_type()";
      common = common.empty() ? own : fmt::format("promoted({}, {})", common, own);
    }
    if (common.empty()) common = name(fold_.whole) + ".scalar_type()";
    return op_.elements->promotion.compute == ComputeRule::int_to_float
               ? fmt::format("inexact({})", common)
               : common;
  }

  LocatedText text(std::string words) {
    return storage_.made_text(fmt::format("(what 'over' of {} means)", op_.name.full),
                              std::move(words));
  }

  const Operator& op_;
  const FoldFormula& fold_;
  ModelStorage& storage_;
};

}  // namespace

void complete_fold_rule(const Operator& op, OperatorEntry& entry, ModelStorage& storage) {
  if (op.elements->fold == nullptr || entry.rule.result_key) return;
  FoldRule rule(op, storage);
  entry.rule.result_key = entry.fold.key();
  for (size_t i = 0; i < op.schema.returns.size(); ++i)
    entry.rule.outputs.push_back(rule.output(i));
}

}  // namespace opweave::codegen
