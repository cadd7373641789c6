// Reading of `over` and `axes`.
#include "codegen/model/operators/fold_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/operators/entry_arguments.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kEvery = "every", kLast = "last", kKeepdim = "keepdim";

class AxesReader {
 public:
  AxesReader(const Operator& op, const FoldEntry& entry, SyntaxArena& syntax, FoldFormula& fold,
             DiagnosticSink& sink)
      : op_(op), entry_(entry), syntax_(syntax), fold_(fold), sink_(sink) {}

  bool read() {
    if (!read_over()) return false;
    const auto& arguments = op_.schema.arguments;
    for (const Argument& argument : arguments)
      fold_.arguments.push_back(argument.type.is_tensor() ? kAllAxes : AxisMask{0});
    fold_.result_axes.resize(op_.schema.returns.size(), AxisMask{0});
    for (const auto& [name, pattern] : entry_.axes) {
      if (AxisMask* const result = result_of(name)) {
        if (!read_result_pattern(name, pattern, *result)) return false;
        continue;
      }
      const int index = tensor_argument_index(op_, name, "axes", sink_);
      if (index < 0 || !read_pattern(pattern, fold_.arguments[static_cast<size_t>(index)]))
        return false;
    }
    const int keepdim = op_.schema.find_argument(kKeepdim);
    if (keepdim >= 0 && arguments[keepdim].type.base == BaseType::boolean) fold_.keepdim = keepdim;
    return find_whole();
  }

 private:
  bool fail(Span span, std::string message) {
    sink_.error(Code::bad_fold, span, std::move(message))
        .note(
            {},
            "it is an argument that names dimensions, last(ARGUMENT), a list of numbers, or every");
    return false;
  }

  bool read_over() {
    if (entry_.over) {
      const SyntaxNode* over = parse_expression(*entry_.over, syntax_, sink_);
      return over != nullptr && read_dims(*over);
    }
    fold_.over.kind = FoldDims::Kind::fixed;
    for (const LocatedText& dim : entry_.dims) {
      const SyntaxNode* node = parse_expression(dim, syntax_, sink_);
      if (node == nullptr || !number(*node)) return false;
    }
    return !entry_.dims.empty();  // otherwise it has been reported
  }

  bool read_dims(const SyntaxNode& node) {
    if (node.kind == SyntaxKind::identifier && node.text == kEvery) return true;
    if (node.kind == SyntaxKind::identifier)
      return named(node, FoldDims::Kind::argument, /*list=*/false);
    if (node.kind == SyntaxKind::call && node.text == kLast && node.operands.size() == 1)
      return named(*node.operands[0], FoldDims::Kind::last, /*list=*/true);
    fold_.over.kind = FoldDims::Kind::fixed;
    if (node.kind != SyntaxKind::list) return number(node);
    return !node.operands.empty() &&
           std::ranges::all_of(node.operands, [&](const SyntaxNode* dim) { return number(*dim); });
  }

  bool named(const SyntaxNode& node, FoldDims::Kind kind, bool list) {
    const int index =
        node.kind == SyntaxKind::identifier ? op_.schema.find_argument(node.text) : -1;
    if (index < 0) {
      return fail(node.span, fmt::format("'over' of '{}' is '{}', which is no argument of it",
                                         op_.name.full, print(node)));
    }
    const Type& type = op_.schema.arguments[index].type;
    if (type.base != BaseType::integer || (list && !type.list)) {
      return fail(node.span, fmt::format("'{}' is of type {}, and names no dimensions", node.text,
                                         print(type)));
    }
    fold_.over.kind = kind;
    fold_.over.argument = static_cast<uint16_t>(index);
    return true;
  }

  bool number(const SyntaxNode& node) {
    const bool minus = node.kind == SyntaxKind::unary && node.text == "-";
    const SyntaxNode& digits = minus ? *node.operands[0] : node;
    int64_t dim = 0;
    const char* const end = digits.text.data() + digits.text.size();
    const bool fine = digits.kind == SyntaxKind::number &&
                      std::from_chars(digits.text.data(), end, dim).ptr == end;
    if (!fine) return fail(node.span, fmt::format("'{}' is no dimension", print(node)));
    fold_.over.dims.push_back(minus ? -dim : dim);
    return true;
  }

  // `[..., r]`
  bool read_pattern(const LocatedText& pattern, AxisMask& axes) {
    const std::string_view text = pattern.text;
    axes = 0;
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return unknown(pattern);
    for (const LocatedText& word : split_words(slice(pattern, 1, text.size() - 2))) {
      const bool folded = entry_.axis && word.text == entry_.axis->text;
      if (!folded && word.text != "...") return unknown(word);
      axes |= folded ? kFoldedAxes : kKeptAxes;
    }
    return axes != 0 || unknown(pattern);
  }

  AxisMask* result_of(const LocatedText& name) {
    for (size_t i = 0; i < fold_.result_axes.size(); ++i) {
      if (name_of_result(op_.schema, i) == name.text) return &fold_.result_axes[i];
    }
    return nullptr;
  }

  // Whether a result has an element for each row or each element its expression says.
  bool read_result_pattern(const LocatedText& name, const LocatedText& pattern, AxisMask& axes) {
    if (!read_pattern(pattern, axes)) return false;
    if (axes == kFoldedAxes) return true;
    sink_
        .error(
            Code::bad_fold, pattern.whole(),
            fmt::format("'axes' of the result '{}' of '{}' can only say that it is added up over "
                        "all rows",
                        name.text, op_.name.full))
        .note({}, entry_.axis ? fmt::format("that is \"[{}]\"; where the others lie, their "
                                            "expressions say",
                                            entry_.axis->text)
                              : "that is \"[r]\", with over: {r: dim}; where the others lie, their "
                                "expressions say");
    return false;
  }

  bool unknown(const LocatedText& word) {
    sink_
        .error(Code::bad_fold, word.whole(),
               fmt::format("'{}' is none of the axes of '{}'", word.text, op_.name.full))
        .note({},
              entry_.axis
                  ? fmt::format("they are '...', all that are not folded, and '{}', in brackets",
                                entry_.axis->text)
                  : "they are '...', all that are not folded, and what 'over' calls them, as in "
                    "over: {r: dim}");
    return false;
  }

  bool find_whole() {
    const auto found = std::ranges::find(fold_.arguments, kAllAxes);
    if (found == fold_.arguments.end()) {
      return fail(
          *entry_.over_key,
          fmt::format("'{}' has no tensor whose elements lie along all axes", op_.name.full));
    }
    fold_.whole = static_cast<uint16_t>(found - fold_.arguments.begin());
    return true;
  }

  const Operator& op_;
  const FoldEntry& entry_;
  SyntaxArena& syntax_;
  FoldFormula& fold_;
  DiagnosticSink& sink_;
};

}  // namespace

std::string name_of_result(const Schema& schema, size_t index) {
  const std::string& name = schema.returns[index].name;
  return name.empty() ? "result" + std::to_string(index) : name;
}

bool read_fold_axes(const Operator& op, const FoldEntry& entry, SyntaxArena& syntax,
                    FoldFormula& fold, DiagnosticSink& sink) {
  return AxesReader(op, entry, syntax, fold, sink).read();
}

}  // namespace opweave::codegen
