// What is assumed in one case of a proof: which sign each value has whose sign matters. What
// follows from other assumptions is not asked.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/proof/atoms.h"
#include "codegen/proof/signs.h"

namespace opweave::codegen {

// Signs by the key of a value; of a truth, kPositive or kZero.
using Choices = std::map<std::string, Signs>;

// argument = constant + the sum of the others, times their factors.
struct Solution {
  const ElementNode* argument = nullptr;
  double constant = 0;
  std::vector<std::pair<const ElementNode*, double>> others;
};

// What has to be known before a tree can be read: the answers together are all that may be.
struct Question {
  std::string key;
  std::vector<Signs> answers;
  bool is_truth = false;
  bool uniform = false;          // of parameters alone
  std::optional<Solution> zero;  // what it says that the value is zero
};

class Decisions {
 public:
  Decisions(const Choices& choices, const NormalAtoms& atoms) : choices_(choices), atoms_(atoms) {}

  // The first of `classes` that holds all signs that the value may have; where there is none a
  // question is raised. The classes are disjoint, and together all signs.
  std::optional<Signs> sign(const Rational& value, const std::vector<Signs>& classes);
  std::optional<bool> truth(const std::string& key);

  const std::optional<Question>& question() const { return question_; }
  // The assumptions contradict each other: there is no such point.
  bool contradicted() const { return contradicted_; }

 private:
  struct Factor {
    Polynomial value;  // its first coefficient is 1
    int exponent = 1;
    Signs signs = kAnySign;
  };

  std::vector<Factor> factors(const Rational& value, Signs& sign);
  void add_factors(const Polynomial& value, int exponent, std::vector<Factor>& found, Signs& sign);
  Signs possible(const Polynomial& scaled);
  Signs by_facts(const Polynomial& value) const;
  Signs by_terms(const Polynomial& value) const;
  Signs of_atom(int index) const;
  void ask(const std::vector<Factor>& factors, Signs sign, const std::vector<Signs>& classes);
  void ask(const Polynomial& value, Signs possible, const std::vector<Signs>& classes);
  std::optional<Solution> solved(const Polynomial& value) const;

  const Choices& choices_;
  const NormalAtoms& atoms_;
  std::vector<std::pair<Polynomial, Signs>> facts_;  // the choices that were looked at
  std::set<std::string> used_;                       // their keys
  std::optional<Question> question_;
  bool contradicted_ = false;
};

}  // namespace opweave::codegen
