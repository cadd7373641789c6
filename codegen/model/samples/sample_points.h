// Values for the arguments of an operator, drawn from the domains that its entry names: the same
// in every run.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/samples/required_numbers.h"
#include "codegen/model/samples/turns.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

// A point with values where something may end.
struct EdgePoint {
  ElementPoint point;
  bool inside = false;  // of the domain, and no infinity
};

// Whether it lies in the domain, and not at its end.
bool is_inside(Domain domain, long double value);

class SamplePoints {
 public:
  // `trees` say which strings and numbers matter.
  SamplePoints(const Operator& op, const std::vector<const ElementNode*>& trees);

  ElementPoint next();
  // Zeros, ends of domains, tiny, large and infinite values, and what the trees' own numbers are
  // and lie beside: of one tensor or of all.
  std::vector<EdgePoint> edges();
  // Where numbers are what conditions of the trees compare them with, and lie beside it.
  std::vector<ElementPoint> decisive();
  // Where conditions and functions of the trees turn, and between such places: of tensors, of the
  // gradient, and of numbers, these also far from the values that samples give them.
  std::vector<ElementPoint> turning();
  // Whether a value is one of those that the entry says an argument may have.
  bool holds(uint16_t argument, long double value) const;

 private:
  void note_thresholds(const ElementNode& node);
  void note_varied(const std::vector<const ElementNode*>& trees);
  // Whether the entry says of a number, and in a call of an element, that it may have the value.
  bool may_be(uint16_t argument, long double value) const;
  bool may_be(uint16_t argument, const SampleCall* call, long double value) const;
  std::vector<long double> decisive_values(uint16_t argument) const;
  void add_decisive(const std::vector<std::pair<uint16_t, long double>>& values,
                    std::vector<ElementPoint>& found);
  void add_turning(uint16_t argument, bool mixed, std::vector<ElementPoint>& found);
  void add_pairs(std::vector<ElementPoint>& found);
  void add_pair(std::pair<uint16_t, long double> first, std::pair<uint16_t, long double> second,
                std::vector<ElementPoint>& found);
  void add_mixed(std::vector<ElementPoint>& found);
  // With some arguments at numbers that decide something.
  ElementPoint mixed(const SampleCall* call);
  std::vector<long double> noted_values(uint16_t argument) const;
  std::vector<long double> turning_values(const ElementPoint& point, uint16_t argument) const;
  const SampleCall* any_call();
  ElementPoint drawn(const SampleCall* call);
  std::optional<Domain> domain_of(const Argument& argument, const SampleCall* call) const;
  // The call that this point follows, if the samples are a list of calls.
  long double draw(const Argument& argument, const SampleCall* call);
  long double draw(const SampleValue& value);
  void add_edge(size_t argument, const SampleCall* call, Domain domain, long double value,
                std::vector<EdgePoint>& found);
  long double one_of(const std::vector<Constant>& values);
  long double in_domain(Domain domain);
  long double of_tensor();
  long double of_number(const Argument& argument);
  long double uniform(long double low, long double high);
  size_t below(size_t count);

  const Operator& op_;
  std::vector<std::vector<std::string_view>> texts_;      // per argument
  std::set<long double> literals_;                        // without their signs
  std::map<uint16_t, std::set<long double>> thresholds_;  // of numbers
  Turns turns_;
  RequiredNumbers required_;
  std::vector<uint16_t> varied_;  // what the trees read, and the gradient
  std::mt19937_64 random_{20};
  int drawn_ = 0;
};

}  // namespace opweave::codegen
