// Values for the arguments of an operator, drawn from the domains that its entry names: the same
// in every run.
#pragma once

#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "codegen/model/operator.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

// A point with values where something may end.
struct EdgePoint {
  ElementPoint point;
  bool inside = false;  // zeros of a domain that has them in its middle
};

class SamplePoints {
 public:
  // `trees` say which strings matter.
  SamplePoints(const Operator& op, const std::vector<const ElementNode*>& trees);

  ElementPoint next();
  // Zeros, ends of domains, tiny, huge and infinite values, of one tensor or of all.
  std::vector<EdgePoint> edges();

 private:
  const SampleCall* any_call();
  ElementPoint drawn(const SampleCall* call);
  std::optional<Domain> domain_of(const Argument& argument, const SampleCall* call) const;
  // The call that this point follows, if the samples are a list of calls.
  long double draw(const Argument& argument, const SampleCall* call);
  long double draw(const SampleValue& value);
  long double one_of(const std::vector<Constant>& values);
  long double in_domain(Domain domain);
  long double of_tensor();
  long double of_number(const Argument& argument);
  long double uniform(long double low, long double high);
  size_t below(size_t count);

  const Operator& op_;
  std::vector<std::vector<std::string_view>> texts_;  // per argument
  std::mt19937_64 random_{20};
  int drawn_ = 0;
};

}  // namespace opweave::codegen
