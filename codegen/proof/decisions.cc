// Signs of values from the signs of their parts.
#include "codegen/proof/decisions.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

std::optional<Signs> class_of(Signs signs, const std::vector<Signs>& classes) {
  for (const Signs one : classes) {
    if (within(signs, one)) return one;
  }
  return std::nullopt;
}

// Whether only zero or not matters.
bool is_about_zero(const std::vector<Signs>& classes) {
  return std::ranges::find(classes, kNonzero) != classes.end();
}

const std::vector<Signs> kZeroOrNot = {kZero, kNonzero};
const std::vector<Signs> kEachSign = {kPositive, kNegative, kZero};

}  // namespace

std::optional<bool> Decisions::truth(const std::string& key) {
  if (const auto found = choices_.find(key); found != choices_.end())
    return found->second == kPositive;
  if (!question_)
    question_ = Question{.key = key, .answers = {kPositive, kZero}, .is_truth = true, .zero = {}};
  return std::nullopt;
}

std::optional<Signs> Decisions::sign(const Rational& value, const std::vector<Signs>& classes) {
  if (const auto number = value.as_number()) return class_of(sign_of_number(*number), classes);
  Signs sign = kPositive;
  const std::vector<Factor> found = factors(value, sign);
  Signs all = sign;
  for (const Factor& factor : found) all = product_of(all, power_of(factor.signs, factor.exponent));
  if (const auto known = class_of(all, classes)) return known;
  ask(found, sign, classes);
  return std::nullopt;
}

std::vector<Decisions::Factor> Decisions::factors(const Rational& value, Signs& sign) {
  std::vector<Factor> found;
  add_factors(value.above(), 1, found, sign);
  add_factors(value.below(), -1, found, sign);
  return found;
}

// The atoms that every term has, and what is left without them. A root is zero where what is below
// it is, and never negative.
void Decisions::add_factors(const Polynomial& value, int exponent, std::vector<Factor>& found,
                            Signs& sign) {
  const Monomial common = value.common();
  for (const auto& [index, power] : common) {
    const NormalAtom& atom = atoms_[index];
    if (atom.kind == NormalAtom::Kind::exponential) continue;
    if (atom.kind == NormalAtom::Kind::root) {
      add_factors(atom.of.above(), 2, found, sign);
      continue;
    }
    const Polynomial alone = Polynomial::atom(index);
    found.push_back({alone, exponent * power, possible(alone)});
  }
  const Polynomial rest = value.times(inverse_of(common), 1);
  const double first = rest.terms().begin()->second;
  if (exponent % 2 != 0) sign = product_of(sign, sign_of_number(first));
  if (rest.terms().size() == 1) return;
  const Polynomial scaled = rest.times(Monomial(), 1 / first);
  found.push_back({scaled, exponent, possible(scaled)});
}

// By the terms, by the facts and by what was chosen, which becomes a fact.
Signs Decisions::possible(const Polynomial& scaled) {
  Signs signs = by_terms(scaled) & by_facts(scaled);
  if (const auto found = choices_.find(scaled.key()); found != choices_.end()) {
    signs &= found->second;
    if (used_.insert(found->first).second) facts_.emplace_back(scaled, found->second);
  }
  if (signs != 0) return signs;
  contradicted_ = true;
  return kAnySign;
}

Signs Decisions::of_atom(int index) const {
  const NormalAtom& atom = atoms_[index];
  if (atom.kind == NormalAtom::Kind::exponential) return kPositive;
  Signs known = kAnySign;
  if (atom.kind == NormalAtom::Kind::root) {
    known = product_of(by_terms(atom.of.above()), by_terms(atom.of.below())) & kNotNegative;
    if (known == 0) known = kNotNegative;
  }
  const auto found = choices_.find(Polynomial::atom(index).key());
  return found == choices_.end() ? known : known & found->second;
}

Signs Decisions::by_terms(const Polynomial& value) const {
  Signs sum = kZero;
  for (const auto& [monomial, coefficient] : value.terms()) {
    Signs term = sign_of_number(coefficient);
    for (const auto& [index, exponent] : monomial)
      term = product_of(term, power_of(of_atom(index), exponent));
    sum = sum_of(sum, term);
  }
  return sum;
}

// x - 1 > 0 and x = (x - 1) + 1: a fact, times a number, and what is left.
Signs Decisions::by_facts(const Polynomial& value) const {
  Signs signs = kAnySign;
  for (const auto& [fact, known] : facts_) {
    for (const auto& [monomial, coefficient] : fact.terms()) {
      const auto shared = value.terms().find(monomial);
      if (monomial.empty() || shared == value.terms().end()) continue;
      const double factor = shared->second / coefficient;
      const Signs scaled = factor > 0 ? known : flipped(known);
      signs &= sum_of(scaled, by_terms(value.plus(fact, -factor)));
    }
  }
  return signs;
}

void Decisions::ask(const std::vector<Factor>& factors, Signs sign,
                    const std::vector<Signs>& classes) {
  const bool about_zero = is_about_zero(classes);
  Signs known = sign;
  std::vector<const Factor*> open;
  for (const Factor& factor : factors) {
    const Signs signs = power_of(factor.signs, factor.exponent);
    const bool settled = signs == kZero || signs == kPositive || signs == kNegative;
    if (settled) known = product_of(known, signs);
    if (!settled && (!about_zero || (signs & kZero))) open.push_back(&factor);
  }
  if (open.empty()) return;
  const Factor& first = *open.front();
  const bool even = first.exponent % 2 == 0;
  if (even || about_zero) return ask(first.value, first.signs, kZeroOrNot);
  if (open.size() > 1) return ask(first.value, first.signs, kEachSign);
  std::vector<Signs> mapped;
  for (const Signs one : classes) mapped.push_back(known == kPositive ? one : flipped(one));
  ask(first.value, first.signs, mapped);
}

void Decisions::ask(const Polynomial& value, Signs possible, const std::vector<Signs>& classes) {
  if (question_) return;
  Question question{.key = value.key(), .uniform = atoms_.is_uniform(value), .zero = solved(value)};
  for (const Signs one : classes) {
    if ((one & possible) != 0) question.answers.push_back(one & possible);
  }
  // Zero last: it says least.
  std::ranges::stable_partition(question.answers, [](Signs one) { return one != kZero; });
  // A factor whose sign is known and still asked for cannot be told apart by these classes.
  if (question.answers.size() < 2) return;
  question_ = std::move(question);
}

// For an argument of a sum of arguments; for one that is no parameter, if there is one.
std::optional<Solution> Decisions::solved(const Polynomial& value) const {
  const NormalAtom* chosen = nullptr;
  double divisor = 0;
  for (const auto& [monomial, coefficient] : value.terms()) {
    if (monomial.empty()) continue;
    if (monomial.size() > 1 || monomial[0].second != 1) return std::nullopt;
    const NormalAtom& atom = atoms_[monomial[0].first];
    if (atom.kind != NormalAtom::Kind::argument) return std::nullopt;
    if (chosen != nullptr && (atom.uniform || !chosen->uniform)) continue;
    chosen = &atom;
    divisor = -coefficient;
  }
  if (chosen == nullptr) return std::nullopt;
  Solution solution{.argument = chosen->argument, .others = {}};
  for (const auto& [monomial, coefficient] : value.terms()) {
    const NormalAtom* atom = monomial.empty() ? nullptr : &atoms_[monomial[0].first];
    if (atom == nullptr) solution.constant = coefficient / divisor;
    if (atom != nullptr && atom != chosen)
      solution.others.emplace_back(atom->argument, coefficient / divisor);
  }
  return solution;
}

}  // namespace opweave::codegen
