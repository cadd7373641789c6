// Mathematics on one line.
#include "codegen/math/writer.h"

namespace opweave::codegen {
namespace {

struct Vulgar {
  std::string_view above, below, sign;
};
constexpr Vulgar kVulgar[] = {{"1", "2", "½"}, {"1", "3", "⅓"}, {"2", "3", "⅔"}, {"1", "4", "¼"},
                              {"3", "4", "¾"}, {"1", "6", "⅙"}, {"1", "8", "⅛"}};

std::string_view vulgar(const MathNode& node) {
  const MathNode& above = node.part(0);
  const MathNode& below = node.part(1);
  if (above.kind != MathKind::number || below.kind != MathKind::number) return {};
  for (const Vulgar& known : kVulgar) {
    if (known.above == above.text && known.below == below.text) return known.sign;
  }
  return {};
}

constexpr std::string_view kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
constexpr std::string_view kLowered[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};

// An integer in small digits; empty if the exponent is none.
std::string raised(const MathNode& node) {
  if (node.kind == MathKind::minus) {
    const std::string digits = raised(node.part(0));
    return digits.empty() ? digits : "⁻" + digits;
  }
  if (node.kind != MathKind::number) return {};
  std::string text;
  for (char c : node.text) {
    if (c < '0' || c > '9') return {};
    text += kRaised[c - '0'];
  }
  return text;
}

class TextWriter : public MathWriter {
 protected:
  Level level_of(const MathNode& node) const override {
    if (node.kind == MathKind::fraction) return vulgar(node).empty() ? kProduct : kAtom;
    if (node.kind == MathKind::partial || node.kind == MathKind::cases) return kAtom;
    if (node.kind == MathKind::root) return kPower;
    return MathWriter::level_of(node);
  }

  std::string number(std::string_view text) const override { return std::string(text); }
  std::string name(std::string_view text) const override { return std::string(text); }
  std::string words(std::string_view text) const override { return std::string(text); }
  std::string symbol(std::string_view text) const override {
    return text == "·" ? "·" : " " + std::string(text) + " ";
  }
  std::string prefix(std::string_view text) const override { return std::string(text); }
  std::string word_between(std::string_view text) const override {
    return " " + std::string(text) + " ";
  }
  std::string comma() const override { return ", "; }
  std::string dot() const override { return "."; }
  std::string fenced(std::string_view open, const std::string& inner,
                     std::string_view close) const override {
    return std::string(open) + inner + std::string(close);
  }
  std::string applied(const std::string& function, const std::string& arguments) const override {
    return function + arguments;
  }

  std::string fraction(const MathNode& node) const override {
    if (const std::string_view sign = vulgar(node); !sign.empty()) return std::string(sign);
    return at_least(node.part(0), kProduct) + "/" + at_least(node.part(1), kPower);
  }
  std::string power(const MathNode& node) const override {
    const std::string base = at_least(node.part(0), kAtom);
    const std::string digits = raised(node.part(1));
    return base + (digits.empty() ? "^" + at_least(node.part(1), kAtom) : digits);
  }
  std::string index(const MathNode& node) const override {
    std::string text = write(node.part(0));
    for (char c : node.part(1).text) {
      const bool digit = c >= '0' && c <= '9';
      text += digit ? std::string(kLowered[c - '0']) : std::string(1, c);
    }
    return text;
  }
  std::string root(const MathNode& node) const override {
    return "√" + at_least(node.part(0), kAtom);
  }
  // Of a letter the line above it.
  std::string overline(const MathNode& node) const override {
    const MathNode& of = node.part(0);
    const bool letter = of.kind == MathKind::name && of.text.size() == 1;
    return letter ? of.text + "\u0304" : applied("conj", fenced("(", write(of), ")"));
  }
  std::string cases(const MathNode& node) const override {
    std::string text = "{";
    for (size_t i = 0; i + 1 < node.parts.size(); i += 2) {
      text += write(node.part(i)) + " if " + write(node.part(i + 1)) + "; ";
    }
    return text + write(*node.parts.back()) + " otherwise}";
  }
  std::string partial(const MathNode& node) const override {
    return "∂" + write(node.part(0)) + "/∂" + write(node.part(1));
  }
};

}  // namespace

std::string math_text(const MathNode& node) { return TextWriter().write(node); }

}  // namespace opweave::codegen
