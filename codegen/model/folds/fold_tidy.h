// Products and sums in a form in which what they share is seen.
#pragma once

#include <unordered_map>
#include <vector>

#include "codegen/expr/element_algebra.h"

namespace opweave::codegen {

// Takes what all terms of a sum are multiplied with out of it, and puts a value that is known in
// the place of its factors: of `grad / s * e - t / s * e` with e / s known as y it makes `y * (grad
// - t)`. By the rules of real numbers, as derivatives are made.
class FoldTidy {
 public:
  using Node = const ElementNode*;

  // `known`: a tree, and the leaf that has its value.
  FoldTidy(ElementArena& arena, std::vector<std::pair<Node, Node>> known);

  Node tidy(Node node);

 private:
  // number * numerators / denominators
  struct Product {
    double number = 1;
    std::vector<Node> over, under;
  };
  struct Known {
    Node node, leaf;
    Product product;
  };

  Node rebuild(Node node);
  Node sum(Node node);
  Node product(Node node);
  void put_into_sums(const Known& known, Product& product);
  Product factors(Node node) const;
  void add_factors(Node node, bool under, Product& product) const;
  Node made_of(Product product);
  bool take(Product& product, const Product& part) const;

  ElementArena& arena_;
  ElementAlgebra algebra_;
  std::vector<Known> known_;
  std::unordered_map<Node, Node> done_;
};

}  // namespace opweave::codegen
