// Flattening.
#include "codegen/math/terms.h"

#include <algorithm>
#include <cmath>

#include "codegen/expr/element_arena.h"
#include "codegen/math/math.h"

namespace opweave::codegen {
namespace {

using Op = ElementOp;

class Flattener {
 public:
  Flattener(Product& product, Tidy tidy) : product_(product), tidy_(tidy) {}

  void add(const ElementNode& node, int exponent) {
    switch (node.op) {
      case Op::negate:
        if (exponent % 2 != 0) product_.coefficient = -product_.coefficient;
        return add(node.operand(0), exponent);
      case Op::multiply:
        add(node.operand(0), exponent);
        return add(node.operand(1), exponent);
      case Op::divide:
        add(node.operand(0), exponent);
        return add(node.operand(1), -exponent);
      case Op::reciprocal:
        return add(node.operand(0), -exponent);
      case Op::square:
        return add(node.operand(0), 2 * exponent);
      case Op::sqrt:
        return factor({&node.operand(0), exponent, true});
      case Op::rsqrt:
        return factor({&node.operand(0), -exponent, true});
      case Op::pow:
        return power(node, exponent);
      case Op::literal:
        return number(node, exponent);
      default:
        factor({&node, exponent, false});
    }
  }

 private:
  void power(const ElementNode& node, int exponent) {
    const ElementNode& by = node.operand(1);
    const bool small = is_literal(by) && std::trunc(by.number) == by.number &&
                       std::fabs(by.number) <= 8 && by.number != 0;
    if (small) return add(node.operand(0), exponent * static_cast<int>(by.number));
    factor({&node, exponent, false});
  }

  void number(const ElementNode& node, int exponent) {
    // What an author wrote as two numbers stays two, unless both are whole or halves and the like.
    const double value = product_.coefficient * std::pow(node.number, exponent);
    const bool first = tidy_ == Tidy::yes || product_.coefficient == 1;
    const bool keep = node.type == ElementType::value && node.number != 0 && first &&
                      is_plain_number(node.number) && is_plain_number(value);
    if (keep) {
      product_.coefficient = value;
    } else {
      factor({&node, exponent, false});
    }
  }

  void factor(const Factor& added) {
    for (Factor& known : product_.factors) {
      const bool cancels = (known.exponent > 0) != (added.exponent > 0);
      if (!known.same_base(added) || (cancels && tidy_ == Tidy::no)) continue;
      known.exponent += added.exponent;
      if (known.exponent == 0) std::erase(product_.factors, known);
      return;
    }
    product_.factors.push_back(added);
  }

  Product& product_;
  Tidy tidy_;
};

// Names stand before functions, what needs a bracket last.
int rank(const Factor& factor) {
  if (is_sum(*factor.base)) return factor.root ? 1 : 2;
  return factor.base->operands.empty() ? 0 : 1;
}

void sort_factors(Product& product) { std::ranges::stable_sort(product.factors, {}, rank); }

void collect(const ElementNode& node, double sign, Tidy tidy, std::vector<Product>& terms) {
  switch (node.op) {
    case Op::add:
    case Op::subtract:
      collect(node.operand(0), sign, tidy, terms);
      return collect(node.operand(1), node.op == Op::add ? sign : -sign, tidy, terms);
    case Op::negate:
      return collect(node.operand(0), -sign, tidy, terms);
    default:
      break;
  }
  Product term = product_of(node, tidy);
  term.coefficient *= sign;
  if (tidy == Tidy::yes) {
    for (Product& known : terms) {
      if (known.factors != term.factors || !is_plain_number(known.coefficient + term.coefficient))
        continue;
      known.coefficient += term.coefficient;
      return;
    }
  }
  terms.push_back(std::move(term));
}

// The smaller power of a factor that both have, on the same side of the fraction line.
int shared_exponent(const Factor& factor, const Product& other) {
  for (const Factor& candidate : other.factors) {
    if (!candidate.same_base(factor)) continue;
    if ((candidate.exponent > 0) != (factor.exponent > 0)) return 0;
    return factor.exponent > 0 ? std::min(factor.exponent, candidate.exponent)
                               : std::max(factor.exponent, candidate.exponent);
  }
  return 0;
}

void divide_out(Product& term, const Factor& common) {
  for (Factor& factor : term.factors) {
    if (!factor.same_base(common)) continue;
    factor.exponent -= common.exponent;
    if (factor.exponent == 0) std::erase(term.factors, factor);
    return;
  }
}

}  // namespace

bool is_sum(const ElementNode& node) { return node.op == Op::add || node.op == Op::subtract; }

Product product_of(const ElementNode& node, Tidy tidy) {
  Product product;
  Flattener(product, tidy).add(node, 1);
  if (tidy == Tidy::yes) sort_factors(product);
  return product;
}

std::vector<Product> terms_of(const ElementNode& node, Tidy tidy) {
  std::vector<Product> terms;
  collect(node, 1, tidy, terms);
  if (tidy == Tidy::no) return terms;
  if (terms.size() > 1) std::erase_if(terms, [](const Product& t) { return t.coefficient == 0; });
  // 1 - x rather than -x + 1.
  auto positive = std::ranges::find_if(terms, [](const Product& t) { return t.coefficient > 0; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  return terms;
}

Product take_common(std::vector<Product>& terms) {
  Product common;
  if (terms.size() < 2) return common;
  for (Factor factor : terms[0].factors) {
    for (const Product& other : terms) factor.exponent = shared_exponent(factor, other);
    if (factor.exponent != 0) common.factors.push_back(factor);
  }
  const double shared = std::fabs(terms[0].coefficient);
  if (std::ranges::all_of(terms,
                          [&](const Product& t) { return std::fabs(t.coefficient) == shared; })) {
    common.coefficient = shared;
  }
  for (Product& term : terms) {
    term.coefficient /= common.coefficient;
    for (const Factor& factor : common.factors) divide_out(term, factor);
  }
  return common;
}

}  // namespace opweave::codegen
