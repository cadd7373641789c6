// Two gradients of one argument in numbers: at drawn points, and where floats end.
#pragma once

#include <optional>

#include "codegen/model/samples/sample_points.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

struct Counterexample {
  ElementPoint point;
  long double given = 0, derived = 0;
  long double difference = 0;  // the quotient of differences; nan where there is none
};

// `given` is an author's, `derived` that of the expression, both over arguments only.
class GradientComparison {
 public:
  using Node = const ElementNode*;

  GradientComparison(Node expr, Node given, Node derived, uint16_t argument)
      : expr_(expr), given_(given), derived_(derived), argument_(argument) {}

  // Among points of the declared domains, zeros of either sign, tiny and large values included.
  std::optional<Counterexample> search(SamplePoints& samples);
  // At the ends of the domains and at infinities.
  std::optional<Counterexample> search_edges(SamplePoints& samples) const;
  int points() const { return points_; }

 private:
  std::optional<Counterexample> search(const std::vector<EdgePoint>& edges, bool inside) const;
  std::optional<Counterexample> compare(ElementPoint point, bool& counts) const;
  bool is_defined(const ElementPoint& point) const;
  std::optional<Counterexample> compare_finite(const ElementPoint& point) const;
  bool is_apart(const Counterexample& found) const;
  std::optional<Counterexample> refute(Counterexample found) const;
  bool is_beside_derived(const Counterexample& found) const;
  ElementPoint moved(ElementPoint point, long double by) const;
  bool is_near_kink(const ElementPoint& point, long double step) const;
  // And how far it may be off.
  Evaluated quotient(const ElementPoint& point, long double step) const;

  Node expr_, given_, derived_;
  uint16_t argument_;
  int points_ = 0;
};

}  // namespace opweave::codegen
