// Drawing of points.
#include "codegen/model/samples/sample_points.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_walk.h"

namespace opweave::codegen {
namespace {

// Where something may happen, beside random values.
constexpr long double kRound[] = {0, 1, -1, 0.5L, -0.5L, 2, -2, 3};

const ArgumentSample* sample_of(const Operator& op, const Argument& argument) {
  auto found =
      std::ranges::find(op.tests->argument_samples, argument.name, &ArgumentSample::argument);
  if (found != op.tests->argument_samples.end()) return &*found;
  // A gradient is asked where the operator is.
  return op.origin.gradient_of != nullptr ? sample_of(*op.origin.gradient_of, argument) : nullptr;
}

const SampleValue* value_in(const SampleCall& call, const Argument& argument) {
  auto found = std::ranges::find(call.arguments, argument.name, &SampleCall::Given::argument);
  return found == call.arguments.end() ? nullptr : &found->value;
}

long double number_of(const Constant& constant) {
  return constant.kind == Constant::Kind::boolean ? static_cast<long double>(constant.boolean)
                                                  : static_cast<long double>(constant.real);
}

}  // namespace

SamplePoints::SamplePoints(const Operator& op, const std::vector<const ElementNode*>& trees)
    : op_(op), texts_(op.schema.arguments.size()), turns_(trees), required_(op) {
  for (size_t i = 0; i < texts_.size(); ++i) {
    const auto& value = op.schema.arguments[i].default_value;
    if (value && value->kind == Constant::Kind::string) texts_[i].push_back(value->string);
    texts_[i].push_back("another");
  }
  for (const ElementNode* tree : trees) {
    walk(*tree, [&](const ElementNode& node) {
      if (node.op == ElementOp::string_equals) texts_[node.index].push_back(node.text);
      if (node.op == ElementOp::literal) literals_.insert(std::fabs(node.number));
      note_thresholds(node);
    });
  }
  note_varied(trees);
}

void SamplePoints::note_varied(const std::vector<const ElementNode*>& trees) {
  std::set<uint16_t> read;
  for (const ElementNode* tree : trees) read.merge(arguments_of(*tree));
  for (uint16_t i = 0; i < op_.schema.arguments.size(); ++i) {
    if (read.contains(i)) varied_.push_back(i);
  }
  varied_.push_back(kGradIndex);
}

// Not std::uniform_real_distribution, which may differ between libraries.
long double SamplePoints::uniform(long double low, long double high) {
  const long double unit = static_cast<long double>(random_() >> 11) * 0x1p-53L;
  return low + (high - low) * unit;
}

size_t SamplePoints::below(size_t count) { return random_() % count; }

ElementPoint SamplePoints::next() { return drawn(any_call()); }

const SampleCall* SamplePoints::any_call() {
  const auto& calls = op_.tests->calls;
  return calls.empty() ? nullptr : &calls[below(calls.size())];
}

ElementPoint SamplePoints::drawn(const SampleCall* call) {
  ElementPoint point;
  const auto& arguments = op_.schema.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    point.arguments.push_back(draw(arguments[i], call));
    point.given.push_back(!arguments[i].type.optional || below(3) > 0);
    point.texts.push_back(texts_[i][below(texts_[i].size())]);
  }
  point.grad = drawn_++ % 2 == 0 ? 1 : uniform(-2, 2);
  return point;
}

// Nothing if it has a list of values.
std::optional<Domain> SamplePoints::domain_of(const Argument& argument,
                                              const SampleCall* call) const {
  if (const SampleValue* value = call ? value_in(*call, argument) : nullptr)
    return value->kind == SampleValue::Kind::drawn ? std::optional(value->domain) : std::nullopt;
  const ArgumentSample* sample = sample_of(op_, argument);
  return sample != nullptr ? sample->domain : Domain::real;
}

long double SamplePoints::draw(const Argument& argument, const SampleCall* call) {
  if (const SampleValue* value = call ? value_in(*call, argument) : nullptr) return draw(*value);
  if (const ArgumentSample* sample = sample_of(op_, argument))
    return sample->domain ? in_domain(*sample->domain) : one_of(sample->values);
  return argument.type.is_tensor_like() ? of_tensor() : of_number(argument);
}

long double SamplePoints::draw(const SampleValue& value) {
  switch (value.kind) {
    case SampleValue::Kind::drawn:
      return in_domain(value.domain);
    case SampleValue::Kind::list:
      return value.items.empty() ? of_tensor() : draw(value.items[below(value.items.size())]);
    default:
      return one_of({value.constant});
  }
}

// Lists are tensors of these elements, in any depth.
long double SamplePoints::one_of(const std::vector<Constant>& values) {
  if (values.empty()) return of_tensor();
  const Constant& value = values[below(values.size())];
  return value.kind == Constant::Kind::list ? one_of(value.items) : number_of(value);
}

long double SamplePoints::of_tensor() {
  switch (below(8)) {
    case 0:
      return kRound[below(std::size(kRound))];
    case 1:
      return uniform(-30, 30);
    default:
      return uniform(-3, 3);
  }
}

long double SamplePoints::of_number(const Argument& argument) {
  if (argument.type.base == BaseType::boolean) return below(2) != 0;
  const bool has_default =
      argument.default_value && argument.default_value->kind != Constant::Kind::none;
  if (has_default && below(2) == 0) return number_of(*argument.default_value);
  if (argument.type.base == BaseType::integer) return in_domain(Domain::integer);
  return in_domain(Domain::nonzero);
}

// As the generated tests draw them: tests/python/generated/samples.py.
long double SamplePoints::in_domain(Domain domain) {
  switch (domain) {
    case Domain::positive:
      return uniform(0.05L, 4);
    case Domain::unit:
      return uniform(-0.95L, 0.95L);
    case Domain::nonzero:
      return uniform(0.3L, 3) * (below(3) == 0 ? -1 : 1);
    case Domain::ge1:
      return uniform(1.05L, 4);
    case Domain::prob:
      return uniform(0.02L, 0.98L);
    case Domain::integer:
      return static_cast<long double>(below(11)) - 5;
    case Domain::below:
      return static_cast<long double>(below(3));
    case Domain::boolean:
      return below(2) != 0;
    case Domain::small:
      return uniform(-0.5L, 0.5L);
    case Domain::wide:
      return uniform(-12, 12);
    default:
      return of_tensor();
  }
}

}  // namespace opweave::codegen
