// Sums of products, flattened: the shape in which people write what a tree says one operation at a
// time.
#pragma once

#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// base^exponent, or of its square root.
struct Factor {
  const ElementNode* base = nullptr;
  int exponent = 1;
  bool root = false;

  bool same_base(const Factor& other) const { return base == other.base && root == other.root; }
  friend bool operator==(const Factor&, const Factor&) = default;
};

struct Product {
  double coefficient = 1;  // named constants such as ln 2 are factors
  std::vector<Factor> factors;

  friend bool operator==(const Product&, const Product&) = default;
};

// Whether equal factors are drawn together and terms that share one are put in a bracket: for what
// was derived. What an author wrote keeps its shape.
enum class Tidy : bool { no, yes };

Product product_of(const ElementNode& node, Tidy tidy);
std::vector<Product> terms_of(const ElementNode& node, Tidy tidy);
// Takes out what all terms have in common.
Product take_common(std::vector<Product>& terms);
bool is_sum(const ElementNode& node);

}  // namespace opweave::codegen
