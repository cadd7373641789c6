// Comparing overloads by the types of their parameters.
#include "codegen/emit/text/cpp_functions.h"

#include <algorithm>
#include <map>

#include "codegen/emit/text/comma_list.h"

namespace opweave::codegen {
namespace {

// How many arguments a call must give.
size_t required(const Signature& s) {
  size_t n = s.parameters.size();
  while (n > 0 && !s.parameters[n - 1].default_value.empty()) --n;
  return n;
}

bool same_types(const Signature& a, const Signature& b, size_t count) {
  const auto same = [](const Parameter& x, const Parameter& y) { return x.type == y.type; };
  return std::equal(a.parameters.begin(), a.parameters.begin() + static_cast<long>(count),
                    b.parameters.begin(), same);
}

// The larger overload gives way: a call with as many arguments as the smaller one has to have.
void separate(Signature& longer, const Signature& shorter) {
  const size_t n = required(shorter);
  const bool both_fit = n >= required(longer) && n < longer.parameters.size();
  if (!both_fit || !same_types(longer, shorter, n)) return;
  for (size_t i = 0; i <= n; ++i) longer.parameters[i].default_value.clear();
}

void separate(const std::vector<Signature*>& overloads) {
  for (Signature* a : overloads) {
    for (Signature* b : overloads) {
      if (a->parameters.size() > b->parameters.size()) separate(*a, *b);
    }
  }
}

CppFunction function_of(const Operator& op) {
  const std::string name =
      op.forms->form == Form::out ? op.forms->functional->name.base + "_out" : op.name.base;
  return {&op, cpp_identifier(name), out_first(signature_of(op), op)};
}

// Types as the front end spells them: its own Tensor, lists that also take its own vectors.
std::string front_type(const std::string& type) {
  return type == "TensorList" ? "const TensorArgs&" : type;
}

}  // namespace

std::vector<CppFunction> cpp_functions(const std::vector<const Operator*>& ops) {
  std::vector<CppFunction> functions;
  for (const Operator* op : ops) functions.push_back(function_of(*op));
  std::map<std::string, std::vector<Signature*>> by_name;
  for (CppFunction& function : functions) by_name[function.name].push_back(&function.face);
  for (const auto& [name, overloads] : by_name) separate(overloads);
  return functions;
}

size_t method_self(const Operator& op) {
  const int self = op.schema.find_argument("self");
  const bool is_method = !op.origin.imported && !op.face->internal && op.forms->form != Form::out &&
                         op.face->method && self >= 0 && op.schema.arguments[self].type.is_tensor();
  return is_method ? static_cast<size_t>(self) : kNoSelf;
}

std::string front_parameters(const Signature& s, size_t self) {
  size_t first = s.parameters.size();
  while (first > 0 && !s.parameters[first - 1].default_value.empty()) --first;
  CommaList parameters;
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    if (i == self) continue;
    const Parameter& p = s.parameters[i];
    parameters.add(front_type(p.type) + " " + p.name + (i >= first ? " = " + p.default_value : ""));
  }
  return parameters.text();
}

}  // namespace opweave::codegen
