// Parsing of einsum's equations.
#include "kernels/composite/einsum_equation.h"

#include <algorithm>
#include <array>

namespace opweave::composite {
namespace {

constexpr int kLetters = 52;
constexpr int kEllipsis = -1;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// PyTorch sorts upper case before lower case.
int label_of(char c) { return c <= 'Z' ? c - 'A' : c - 'a' + 26; }
char letter_of(int label) {
  return static_cast<char>(label < 26 ? 'A' + label : 'a' + (label - 26));
}

class Parser {
 public:
  Parser(std::string_view text, TensorList operands) : text_(text), operands_(operands) {}

  EinsumEquation parse() {
    OW_CHECK(!operands_.empty(), "einsum(): must provide at least one operand");
    const size_t arrow = text_.find("->");
    parse_inputs(text_.substr(0, arrow));
    for (size_t i = 0; i < inputs_.size(); ++i) measure_ellipsis(i);
    EinsumEquation equation;
    equation.num_labels = kLetters + static_cast<int>(ellipsis_dims_);
    for (size_t i = 0; i < inputs_.size(); ++i) equation.inputs.push_back(resolved(i));
    equation.output = arrow == std::string_view::npos ? implied_output() : parse_output(arrow + 2);
    return equation;
  }

 private:
  // "..." at `at`, of which `where` names the place for the message.
  bool ellipsis_at(std::string_view text, size_t at) const { return text.substr(at, 3) == "..."; }

  void parse_inputs(std::string_view left) {
    inputs_.emplace_back();
    bool ellipsis = false;
    for (size_t i = 0; i < left.size(); ++i) {
      const char c = left[i];
      if (c == ' ') continue;
      if (c == ',') {
        inputs_.emplace_back();
        ellipsis = false;
        OW_CHECK(inputs_.size() <= operands_.size(),
                 "einsum(): fewer operands were provided than specified in the equation");
      } else if (c == '.') {
        OW_CHECK(ellipsis_at(left, i), "einsum(): found '.' for operand ", inputs_.size() - 1,
                 " that is not part of any ellipsis");
        OW_CHECK(!ellipsis, "einsum(): found '.' for operand ", inputs_.size() - 1,
                 " for which an ellipsis was already found");
        ellipsis = true;
        inputs_.back().push_back(kEllipsis);
        i += 2;
      } else {
        check_letter(c, i);
        inputs_.back().push_back(label_of(c));
        ++uses_[static_cast<size_t>(label_of(c))];
      }
    }
    OW_CHECK(inputs_.size() == operands_.size(),
             "einsum(): more operands were provided than specified in the equation");
  }

  void check_letter(char c, size_t at) const {
    OW_CHECK(is_letter(c), "einsum(): invalid subscript given at index ", at,
             " in the equation string, subscripts must be in [a-zA-Z]");
  }

  void measure_ellipsis(size_t i) {
    const auto& labels = inputs_[i];
    const int64_t ndim = operands_[i].dim();
    const bool ellipsis = std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
    const int64_t named = static_cast<int64_t>(labels.size()) - int64_t{ellipsis};
    OW_CHECK(ellipsis ? named <= ndim : named == ndim,
             "einsum(): the number of subscripts in the equation (", named, ") ",
             ellipsis ? "is more than the number of dimensions ("
                      : "does not match the number of dimensions (",
             ndim, ") for operand ", i, ellipsis ? "" : " and no ellipsis was given");
    if (ellipsis) ellipsis_dims_ = std::max(ellipsis_dims_, ndim - named);
    has_ellipsis_ |= ellipsis;
  }

  // Ellipses are aligned at their last dimension.
  std::vector<int> resolved(size_t i) const {
    std::vector<int> labels;
    for (int label : inputs_[i]) {
      if (label != kEllipsis) {
        labels.push_back(label);
        continue;
      }
      const int64_t covered = operands_[i].dim() - static_cast<int64_t>(inputs_[i].size()) + 1;
      for (int64_t d = ellipsis_dims_ - covered; d < ellipsis_dims_; ++d) {
        labels.push_back(kLetters + static_cast<int>(d));
      }
    }
    return labels;
  }

  void append_ellipsis(std::vector<int>& output) const {
    for (int64_t d = 0; d < ellipsis_dims_; ++d) output.push_back(kLetters + static_cast<int>(d));
  }

  // Without an arrow: the ellipsis, then the labels that occur once, in order.
  std::vector<int> implied_output() const {
    std::vector<int> output;
    append_ellipsis(output);
    for (int label = 0; label < kLetters; ++label) {
      if (uses_[static_cast<size_t>(label)] == 1) output.push_back(label);
    }
    return output;
  }

  std::vector<int> parse_output(size_t from) const {
    std::vector<int> output;
    bool ellipsis = false;
    for (size_t i = from; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == ' ') continue;
      if (c == '.') {
        OW_CHECK(ellipsis_at(text_, i),
                 "einsum(): found '.' for output but an ellipsis (...) is required");
        OW_CHECK(!ellipsis,
                 "einsum(): found '.' for output but an ellipsis (...) was already found");
        ellipsis = true;
        append_ellipsis(output);
        i += 2;
        continue;
      }
      check_letter(c, i);
      add_output_label(output, label_of(c));
    }
    return output;
  }

  void add_output_label(std::vector<int>& output, int label) const {
    OW_CHECK(std::find(output.begin(), output.end(), label) == output.end(),
             "einsum(): output subscript ", letter_of(label),
             " appears more than once in the output");
    OW_CHECK(uses_[static_cast<size_t>(label)] > 0, "einsum(): output subscript ", letter_of(label),
             " does not appear in the equation for any input operand");
    output.push_back(label);
  }

  std::string_view text_;
  TensorList operands_;
  std::vector<std::vector<int>> inputs_;
  std::array<int, kLetters> uses_{};
  int64_t ellipsis_dims_ = 0;
  bool has_ellipsis_ = false;
};

}  // namespace

EinsumEquation parse_einsum(std::string_view equation, TensorList operands) {
  return Parser(equation, operands).parse();
}

}  // namespace opweave::composite
