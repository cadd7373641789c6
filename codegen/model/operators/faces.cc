// Variants, names in Python, numbers, functions of nn.functional.
#include "codegen/model/operators/faces.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/operators/entry_arguments.h"
#include "codegen/model/operators/nn_signature.h"

namespace opweave::codegen {

Face Faces::make(const Operator& op, const OperatorEntry& entry) {
  Face face;
  face.internal = entry.internal;
  face.python_name = entry.python_name ? std::string(entry.python_name->text) : op.name.base;
  face.python_module = entry.python_module;
  face.python_operator = entry.python_operator;
  face.doc = entry.doc;
  for (const LocatedText& tag : entry.tags) face.tags.emplace_back(tag.text);
  set_variants(face, op, entry);
  face.numbers = numbers_of(op, entry);
  face.nn_function = nn_function_of(op, face, &entry);
  if (face.nn_function) check_nn_name(op, face);
  return face;
}

Face Faces::derive(const Operator& form) {
  Face face = *form.forms->functional->face;
  face.python_operator = nullptr;
  if (form.forms->form == Form::inplace) {
    face.python_name += "_";
  } else {
    face.function |= face.method;
    face.method = false;
  }
  face.nn_function = nn_function_of(form, face, nullptr);
  if (face.nn_function) check_nn_name(form, face);
  return face;
}

void Faces::set_variants(Face& face, const Operator& op, const OperatorEntry& entry) {
  if (!entry.variants) return;
  if (entry.internal) {
    sink_
        .error(Code::conflicting_statements, entry.internal_span,
               fmt::format("'{}' is internal: it has no variants", op.name.full))
        .note(entry.variants_span, "they are given here");
  }
  face.function = face.method = false;
  for (const LocatedText& word : *entry.variants) {
    if (word.text == "function") face.function = true;
    if (word.text == "method") face.method = true;
  }
  if (face.method) check_method(op, *entry.variants);
}

// A method is one of a tensor: that is what `self` has to be.
void Faces::check_method(const Operator& op, const std::vector<LocatedText>& variants) {
  const int self = op.schema.find_argument("self");
  if (self >= 0 && op.schema.arguments[self].type.is_tensor()) return;
  const auto method = std::ranges::find(variants, "method", &LocatedText::text);
  const std::string why = self < 0 ? "it has no argument 'self'"
                                   : fmt::format("its argument 'self' is no tensor, but of type {}",
                                                 print(op.schema.arguments[self].type));
  sink_
      .error(Code::conflicting_statements, method->whole(),
             fmt::format("'{}' cannot be a method: {}", op.name.full, why))
      .note(op.origin.span, "its arguments are declared here");
}

std::vector<uint16_t> Faces::numbers_of(const Operator& op, const OperatorEntry& entry) {
  std::vector<uint16_t> numbers;
  for (const LocatedText& name : entry.numbers) {
    const int index = tensor_argument_index(op, name, "numbers", sink_);
    if (index < 0) continue;
    numbers.push_back(static_cast<uint16_t>(index));
    const Argument& argument = op.schema.arguments[index];
    if (!argument.type.is_mutated()) continue;
    sink_
        .error(
            Code::bad_value, name.whole(),
            fmt::format("'numbers' of '{}' names '{}', which is written: nobody could see what a "
                        "number has become",
                        op.name.full, argument.name))
        .note(argument.span, "it is declared here");
  }
  return numbers;
}

// The function of nn.functional that an entry asks for or, in the module `nn`, does not refuse; of
// an in-place form without an entry, that of the functional form with a `_`.
std::optional<NnFunction> Faces::nn_function_of(const Operator& op, const Face& face,
                                                const OperatorEntry* entry) {
  const Form form = op.forms->form;
  if (face.internal || !face.function || form == Form::out) return std::nullopt;
  if (entry != nullptr && entry->nn_function) {
    if (entry->nn_function->text == "none") return std::nullopt;
    return read_nn_function(op, *entry->nn_function, sink_);
  }
  if (form == Form::inplace && op.forms->functional->face->nn_function)
    return plain_nn_function(op, op.forms->functional->face->nn_function->name + "_");
  if (entry != nullptr && face.python_module == "nn")
    return plain_nn_function(op, face.python_name);
  return std::nullopt;
}

// Overloads of one function of Python may share a name, others not.
void Faces::check_nn_name(const Operator& op, const Face& face) {
  const auto [place, is_new] = nn_names_.emplace(face.nn_function->name, &op);
  if (is_new) return;
  const Operator& first = *place->second;
  if (first.face->python_name == face.python_name &&
      first.face->python_module == face.python_module) {
    return;
  }
  sink_
      .error(Code::names_collide, op.schema.name_span,
             fmt::format("'{}' and '{}' are both nn.functional.{} in Python", first.name.full,
                         op.name.full, face.nn_function->name))
      .note(first.schema.name_span, "the other is here");
}

}  // namespace opweave::codegen
