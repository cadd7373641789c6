// The shape of an einsum, from its equation.
#include <algorithm>

#include "codegen/shapes/arguments.h"
#include "codegen/shapes/arithmetic.h"

namespace opweave::codegen {
namespace {

// One character for each dimension that has a label; `.` for all that an ellipsis covers.
std::string labels_of(std::string_view text) {
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    labels += text[i];
    if (text[i] == '.') i += 2;
  }
  return labels;
}

class Einsum {
 public:
  explicit Einsum(Conditions& conditions) : conditions_(conditions) {}

  void add(const std::string& labels, const Sizes& sizes) {
    const size_t named = labels.size() - (labels.find('.') != std::string::npos ? 1 : 0);
    if (named > sizes.size() || (named == labels.size() && named != sizes.size()))
      throw NoShape{
          fmt::format("einsum(): the subscripts '{}' do not fit {}", labels, text_of(sizes))};
    size_t at = 0;
    for (char label : labels) {
      if (label == '.') {
        const ArithmeticConditions scope(conditions_);
        const size_t end = at + sizes.size() - named;
        covered_ = rule::generic::broadcast<Size, Sizes>(
            covered_, rule::generic::copy<Sizes>(sizes, at, end));
        at = end;
      } else {
        meet(label, sizes[at++]);
      }
    }
  }

  Sizes result(const std::string& labels) const {
    Sizes out;
    for (char label : labels) {
      if (label == '.') {
        out.insert(out.end(), covered_.begin(), covered_.end());
      } else if (sizes_.contains(label)) {
        out.push_back(sizes_.at(label));
      } else {
        throw NoShape{fmt::format("einsum(): no operand has the subscript {}", label)};
      }
    }
    return out;
  }

  // Without an arrow: the ellipsis, then the labels that occur once, in order.
  std::string implied() const {
    std::string labels = ".";
    for (const auto& [label, uses] : uses_) {
      if (uses == 1) labels += label;
    }
    return labels;
  }

 private:
  void meet(char label, const Size& size) {
    ++uses_[label];
    const auto [found, is_new] = sizes_.try_emplace(label, size);
    if (is_new || size == Size(1)) return;
    if (found->second == Size(1)) {
      found->second = size;
      return;
    }
    conditions_.require(
        equal(found->second, size),
        fmt::format("einsum(): the sizes {} and {} of subscript {} do not broadcast",
                    found->second.text(), size.text(), label));
  }

  Conditions& conditions_;
  std::map<char, Size> sizes_;
  std::map<char, int> uses_;
  Sizes covered_;
};

}  // namespace

Sizes einsum_sizes(const std::string& equation, const std::vector<ShapedTensor>& operands,
                   Conditions& conditions) {
  const size_t arrow = equation.find("->");
  std::string left = equation.substr(0, arrow) + ",";
  Einsum sums(conditions);
  for (const ShapedTensor& operand : operands) {
    const size_t end = left.find(',');
    if (end == std::string::npos)
      throw NoShape{"einsum(): more operands were provided than specified in the equation"};
    sums.add(labels_of(left.substr(0, end)), operand.sizes);
    left = left.substr(end + 1);
  }
  if (!left.empty())
    throw NoShape{"einsum(): fewer operands were provided than specified in the equation"};
  return sums.result(arrow == std::string::npos ? sums.implied()
                                                : labels_of(equation.substr(arrow + 2)));
}

}  // namespace opweave::codegen
