// Mathematics as presentation MathML, as HTML5 embeds it.
#include "codegen/math/writer.h"

namespace opweave::codegen {

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

namespace {

std::string element(std::string_view tag, const std::string& inner) {
  return "<" + std::string(tag) + ">" + inner + "</" + std::string(tag.substr(0, tag.find(' '))) +
         ">";
}
std::string row(const std::string& inner) { return element("mrow", inner); }

class MathMlWriter : public MathWriter {
 protected:
  std::string number(std::string_view text) const override {
    return element("mn", escaped_markup(text));
  }
  // Names of one letter are slanted by themselves, longer ones and functions upright.
  std::string name(std::string_view text) const override {
    return element("mi", escaped_markup(text));
  }
  // A blank at the end would be lost.
  std::string words(std::string_view text) const override {
    const bool blank = text.ends_with(' ');
    if (blank) text.remove_suffix(1);
    return element("mtext", escaped_markup(text) + (blank ? "&#xa0;" : ""));
  }
  std::string symbol(std::string_view text) const override {
    return element("mo", escaped_markup(text));
  }
  std::string prefix(std::string_view text) const override {
    // A letter stands as close to what follows as a sign.
    const bool letter = text.front() >= 'a' && text.front() <= 'z';
    const std::string space = letter ? " lspace=\"0\" rspace=\"0.1em\"" : "";
    return element("mo form=\"prefix\"" + space, escaped_markup(text));
  }
  std::string word_between(std::string_view text) const override {
    return element("mtext", "&#xa0;" + escaped_markup(text) + "&#xa0;");
  }
  std::string comma() const override { return element("mo", ","); }
  std::string dot() const override { return element("mo lspace=\"0\" rspace=\"0\"", "."); }
  // Brackets grow with what is taller than a line, not with letters.
  std::string fenced(std::string_view open, const std::string& inner,
                     std::string_view close) const override {
    const bool tall =
        inner.find("<mfrac") != std::string::npos || inner.find("<mtable") != std::string::npos;
    const std::string stretch = tall ? "" : " stretchy=\"false\"";
    const auto bracket = [&](const char* form, std::string_view sign) {
      return "<mo fence=\"true\" form=\"" + std::string(form) + "\"" + stretch + ">" +
             escaped_markup(sign) + "</mo>";
    };
    return row(bracket("prefix", open) + inner + bracket("postfix", close));
  }
  std::string applied(const std::string& function, const std::string& arguments) const override {
    return row(function + "<mo>&#x2061;</mo>" + arguments);
  }

  std::string fraction(const MathNode& node) const override {
    return element("mfrac", row(write(node.part(0))) + row(write(node.part(1))));
  }
  std::string power(const MathNode& node) const override {
    return element("msup", row(at_least(node.part(0), kAtom)) + row(write(node.part(1))));
  }
  std::string index(const MathNode& node) const override {
    return element("msub", row(write(node.part(0))) + row(write(node.part(1))));
  }
  std::string root(const MathNode& node) const override {
    return element("msqrt", write(node.part(0)));
  }
  std::string overline(const MathNode& node) const override {
    return element("mover accent=\"true\"",
                   row(write(node.part(0))) + "<mo stretchy=\"true\">¯</mo>");
  }
  std::string cases(const MathNode& node) const override {
    std::string rows;
    for (size_t i = 0; i + 1 < node.parts.size(); i += 2) {
      rows += one_case(node.part(i), words("if ") + write(node.part(i + 1)));
    }
    rows += one_case(*node.parts.back(), words("otherwise"));
    return row("<mo fence=\"true\" form=\"prefix\">{</mo>" +
               element("mtable columnalign=\"left left\"", rows));
  }
  std::string one_case(const MathNode& value, const std::string& condition) const {
    return element("mtr", element("mtd", write(value)) + element("mtd", condition));
  }
  std::string partial(const MathNode& node) const override {
    const std::string sign = element("mi", "∂");
    return element("mfrac", row(sign + write(node.part(0))) + row(sign + write(node.part(1))));
  }
};

}  // namespace

std::string math_ml(const MathNode& node, bool display) {
  return std::string(display ? "<math display=\"block\">" : "<math>") +
         row(MathMlWriter().write(node)) + "</math>";
}

}  // namespace opweave::codegen
