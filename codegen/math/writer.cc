// Precedence, and the parts that look alike in text and in MathML.
#include "codegen/math/writer.h"

namespace opweave::codegen {

MathWriter::Level MathWriter::level_of(const MathNode& node) const {
  switch (node.kind) {
    case MathKind::equals:
    case MathKind::keyword:
      return kLowest;
    case MathKind::cases:
      return kCases;
    case MathKind::either:
      return kEither;
    case MathKind::both:
      return kBoth;
    case MathKind::negated:
      return kNot;
    case MathKind::relation:
      return kRelation;
    case MathKind::infix:
      return kInfix;
    case MathKind::sum:
    case MathKind::minus:
      return kSum;
    case MathKind::product:
      return kProduct;
    case MathKind::fraction:
    case MathKind::power:
    case MathKind::partial:
      return kPower;
    default:
      return kAtom;
  }
}

std::string MathWriter::at_least(const MathNode& node, Level level) const {
  return level_of(node) >= level ? write(node) : fenced("(", write(node), ")");
}

std::string MathWriter::joined(const MathNode& node, std::string_view between, Level level) const {
  std::string text;
  for (const Math& part : node.parts) {
    if (!text.empty()) text += between;
    text += at_least(*part, level);
  }
  return text;
}

std::string MathWriter::listed(const MathNode& node, size_t first) const {
  std::string text;
  for (size_t i = first; i < node.parts.size(); ++i) {
    if (i > first) text += comma();
    text += write(node.part(i));
  }
  return text;
}

std::string MathWriter::sum(const MathNode& node) const {
  std::string text = at_least(node.part(0), kSum);
  for (size_t i = 1; i < node.parts.size(); ++i) {
    const MathNode& term = node.part(i);
    const bool subtract = term.kind == MathKind::minus;
    text += symbol(subtract ? "−" : "+");
    text += at_least(subtract ? term.part(0) : term, kProduct);
  }
  return text;
}

std::string MathWriter::minus(const MathNode& node) const {
  return prefix("−") + at_least(node.part(0), kProduct);
}

// A condition that is the value of something stands in parentheses beside the sign of equality.
std::string MathWriter::equation(const MathNode& node) const {
  const Level level = level_of(node.part(1));
  const bool condition = level > kCases && level < kInfix;
  const std::string right = write(node.part(1));
  return write(node.part(0)) + symbol("=") + (condition ? fenced("(", right, ")") : right);
}

std::string MathWriter::call(const MathNode& node) const {
  return applied(at_least(node.part(0), kPower), fenced("(", listed(node, 1), ")"));
}

std::string MathWriter::access(const MathNode& node) const {
  const std::string asked = at_least(node.part(0), kAtom) + dot() + name(node.text);
  return applied(asked, fenced("(", listed(node, 1), ")"));
}

// What brings its own brackets.
std::string MathWriter::enclosed(const MathNode& node) const {
  switch (node.kind) {
    case MathKind::absolute:
      return fenced("|", write(node.part(0)), "|");
    case MathKind::floor:
      return fenced("⌊", write(node.part(0)), "⌋");
    case MathKind::ceiling:
      return fenced("⌈", write(node.part(0)), "⌉");
    case MathKind::tuple:
      return fenced("(", listed(node, 0), ")");
    default:  // a list, or 1 for what is true
      return fenced("[", listed(node, 0), "]");
  }
}

std::string MathWriter::write(const MathNode& node) const {
  switch (node.kind) {
    case MathKind::number:
      return number(node.text);
    case MathKind::name:
      return name(node.text);
    case MathKind::quote:
      return words("'" + node.text + "'");
    case MathKind::words:
      return words(node.text);
    case MathKind::equals:
      return equation(node);
    case MathKind::either:
      return joined(node, word_between("or"), kBoth);
    case MathKind::both:
      return joined(node, word_between("and"), kNot);
    case MathKind::negated:
      return words("not ") + at_least(node.part(0), kNot);
    case MathKind::relation:
      return joined(node, symbol(node.text), kInfix);
    case MathKind::infix:
      return joined(node, symbol(node.text), kPower);
    case MathKind::sum:
      return sum(node);
    case MathKind::minus:
      return minus(node);
    case MathKind::product:
      return joined(node, symbol("·"), kPower);
    case MathKind::fraction:
      return fraction(node);
    case MathKind::power:
      return power(node);
    case MathKind::index:
      return index(node);
    case MathKind::root:
      return root(node);
    case MathKind::overline:
      return overline(node);
    case MathKind::call:
      return call(node);
    case MathKind::access:
      return access(node);
    case MathKind::cases:
      return cases(node);
    case MathKind::keyword:
      return name(node.text) + symbol("=") + write(node.part(0));
    case MathKind::partial:
      return partial(node);
    case MathKind::differential:
      return prefix("d") + write(node.part(0));
    default:
      return enclosed(node);
  }
}

}  // namespace opweave::codegen
