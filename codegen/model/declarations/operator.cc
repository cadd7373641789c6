// The small questions that operators and their parts answer themselves.
#include "codegen/model/declarations/operator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {

void part_given_twice(const char* part) {
  std::fprintf(stderr, "internal error: given twice: %s\n", part);
  std::abort();
}

void part_not_given(const char* part) {
  std::fprintf(stderr, "internal error: read before it is given: %s\n", part);
  std::abort();
}

Name name_of(const Schema& schema) {
  Name name{schema.base_name, schema.overload_name, schema.full_name(), schema.full_name()};
  std::ranges::replace(name.identifier, '.', '_');
  return name;
}

Operator::Operator(Schema its_schema, Origin its_origin)
    : schema(std::move(its_schema)),
      name(name_of(schema)),
      origin(its_origin),
      effects(effects_of(schema)) {}

bool Computation::has_target(std::string_view target) const {
  return (folds && has_folds(target)) || std::ranges::find(targets, target) != targets.end();
}

bool Computation::has_hardware_kernel() const {
  if (folds) return true;
  return implementation == Implementation::kernels &&
         std::ranges::any_of(targets, [](const std::string& target) {
           const KernelWord* word = find_kernel_word(target);
           return word == nullptr || word->hardware;
         });
}

int Policies::find_role(Role role) const {
  const auto found = std::ranges::find(roles, role);
  return found == roles.end() ? -1 : static_cast<int>(found - roles.begin());
}

bool Operator::loses_gradient() const {
  const Operator& source = forms->functional != nullptr ? *forms->functional : *this;
  if (effects.mutated.empty() || forms->form == Form::out) return false;
  return gradient->differentiability == Differentiability::not_implemented ||
         (gradient->differentiability == Differentiability::none && !source.is_expr());
}

std::vector<uint16_t> Operator::tensor_arguments() const {
  std::vector<uint16_t> indices;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].type.is_tensor_like()) indices.push_back(static_cast<uint16_t>(i));
  }
  return indices;
}

std::string out_name(const Schema& schema, size_t index) {
  const std::string& name = schema.returns[index].name;
  if (schema.returns.size() == 1) return "out";
  return name.empty() ? "out" + std::to_string(index) : name;
}

}  // namespace opweave::codegen
