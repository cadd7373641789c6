// Texts of intrinsics.def as trees.
#include "codegen/data/meanings.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "codegen/expr/syntax.h"
#include "schema/constant_parser.h"

namespace opweave::codegen::data {
namespace {

struct Row {
  std::string_view kind, value;
};
constexpr Row kRows[] = {
#define OPWEAVE_INTRINSIC(op, kind, arity, name, symbol, target, math, domain, value, ...) \
  {#kind, #value},
#include "codegen/expr/intrinsics.def"
};

constexpr Meaning kMeanings[] = {
#define OPWEAVE_MEANING(op, precision, floats, whole) \
  {ElementOp::op, {}, #precision, floats, whole},
#include "codegen/data/meanings.def"
};
static_assert(std::size(kMeanings) == std::size(kRows),
              "a function of intrinsics.def lacks its line in meanings.def");

// In the order of the table.
size_t place_of(const Intrinsic& intrinsic) {
  return static_cast<size_t>(&intrinsic - intrinsics().data());
}

// What proofs in C++ call the functions of the vocabulary.
constexpr std::array<std::string_view, 2> kNames[] = {
    {"fabs", "abs"}, {"sign_of", "sign"}, {"round_to_even", "round"}, {"erf_inverse", "erfinv"}};

[[noreturn]] void fail(std::string_view text) {
  std::fprintf(stderr, "codegen/data/meanings.cc: cannot read '%s' of intrinsics.def\n",
               std::string(text).c_str());
  std::abort();
}

class TreeReader {
 public:
  TreeReader(std::string_view text, ElementArena& arena) : text_(text), arena_(arena) {}

  const ElementNode* read() {
    DiagnosticSink sink;
    const SyntaxNode* syntax = parse_expression({text_}, syntax_, sink);
    if (syntax == nullptr) fail(text_);
    return build(*syntax);
  }

 private:
  using Node = const ElementNode*;

  Node build(const SyntaxNode& syntax) {
    switch (syntax.kind) {
      case SyntaxKind::number:
        return number(syntax.text);
      case SyntaxKind::group:
        return build(*syntax.operands[0]);
      case SyntaxKind::identifier:
        return argument(syntax.text);
      case SyntaxKind::conditional:
        return conditional(syntax);
      case SyntaxKind::call:
        return call(syntax);
      case SyntaxKind::unary:
      case SyntaxKind::binary:
        return apply(find_intrinsic_symbol(syntax.text, syntax.operands.size()), syntax);
      default:
        fail(text_);
    }
  }

  Node number(std::string_view text) {
    const auto constant = schema::parse_number(text);
    return arena_.literal(constant->real, constant->kind == schema::Constant::Kind::real);
  }

  Node argument(std::string_view name) {
    constexpr std::string_view kArguments = "xyr";
    const size_t index = kArguments.find(name);
    if (name.size() != 1 || index == std::string_view::npos) fail(text_);
    return arena_.argument(static_cast<uint16_t>(index), ElementType::value, false, false);
  }

  Node conditional(const SyntaxNode& syntax) {
    return arena_.apply(ElementOp::select,
                        {arena_.as_boolean(build(*syntax.operands[0])), build(*syntax.operands[1]),
                         build(*syntax.operands[2])});
  }

  // `bessel_i(0, x)` is i0.
  Node call(const SyntaxNode& syntax) {
    if (syntax.text == "bessel_i") {
      const bool first = syntax.operands[0]->text == "0";
      return arena_.apply(first ? ElementOp::i0 : ElementOp::i1, {build(*syntax.operands[1])});
    }
    const auto renamed = std::ranges::find(kNames, syntax.text, [](const auto& n) { return n[0]; });
    return apply(find_intrinsic(renamed == std::end(kNames) ? syntax.text : (*renamed)[1]), syntax);
  }

  Node apply(const Intrinsic* intrinsic, const SyntaxNode& syntax) {
    if (intrinsic == nullptr) fail(text_);
    std::vector<Node> operands;
    for (const SyntaxNode* operand : syntax.operands) {
      const Node built = build(*operand);
      const bool truth = intrinsic->operand == ElementType::boolean;
      operands.push_back(truth ? arena_.as_boolean(built) : arena_.as_value(built));
    }
    return arena_.apply(intrinsic->op, operands);
  }

  std::string_view text_;
  ElementArena& arena_;
  SyntaxArena syntax_;
};

// A function of its own operands and nothing else.
bool is_itself(const ElementNode& tree, ElementOp op) {
  return tree.op == op && std::ranges::all_of(tree.operands, [](const ElementNode* operand) {
           return operand->op == ElementOp::argument;
         });
}

}  // namespace

const Meaning& meaning_of(const Intrinsic& intrinsic) {
  static const std::vector<Meaning> meanings = [] {
    std::vector<Meaning> all(std::begin(kMeanings), std::end(kMeanings));
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].kind = kRows[i].kind;
      if (all[i].op != intrinsics()[i].op) fail(element_op_name(all[i].op));
    }
    return all;
  }();
  return meanings[place_of(intrinsic)];
}

const ElementNode* tree_of(std::string_view text, ElementArena& arena) {
  return text.empty() ? nullptr : TreeReader(text, arena).read();
}

const ElementNode* definition_of(const Intrinsic& intrinsic, ElementArena& arena) {
  if (intrinsic.bitwise || intrinsic.operand == ElementType::boolean) return nullptr;
  const ElementNode* tree = tree_of(kRows[place_of(intrinsic)].value, arena);
  return is_itself(*tree, intrinsic.op) ? nullptr : tree;
}

}  // namespace opweave::codegen::data
