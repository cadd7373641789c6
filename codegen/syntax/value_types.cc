// The table of values, and what it says of types.
#include "codegen/syntax/value_types.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

using enum ValueType::Form;

constexpr ValueType kValueTypes[] = {
#define OPWEAVE_VALUE_TYPE(base, forms, cpp, python, reader, kind) \
  {BaseType::base, forms, cpp, python, reader, kind},
#define OPWEAVE_LIST_TYPE(base, cpp, reader, kind)
#include "codegen/syntax/value_types.def"
};

constexpr ListType kListTypes[] = {
#define OPWEAVE_VALUE_TYPE(base, forms, cpp, python, reader, kind)
#define OPWEAVE_LIST_TYPE(base, cpp, reader, kind) {BaseType::base, cpp, reader, kind},
#include "codegen/syntax/value_types.def"
};

// What of a type has to be among the forms of its base.
int needed_forms(const Type& type) {
  int forms = 0;
  if (!type.list) return type.optional ? kOptional : 0;
  forms |= type.size ? kSizedList : kList;
  if (type.optional) forms |= kOptionalList;
  if (type.element_optional) forms |= kOptionalElements;
  return forms;
}

bool has_forms(BaseType base, int needed) {
  const ValueType* value = find_value_type(base);
  return value && (value->forms & needed) == needed;
}

}  // namespace

const ValueType* find_value_type(BaseType base) {
  const auto* found = std::ranges::find(kValueTypes, base, &ValueType::base);
  return found == std::end(kValueTypes) ? nullptr : found;
}

const ListType* find_list_type(BaseType base) {
  const auto* found = std::ranges::find(kListTypes, base, &ListType::base);
  return found == std::end(kListTypes) ? nullptr : found;
}

std::string with_length(std::string_view text, const Type& type) {
  std::string out(text);
  const size_t place = out.find("{}");
  if (place != std::string::npos) out.replace(place, 2, std::to_string(type.size.value_or(1)));
  return out;
}

bool may_be_argument(const Type& type) { return has_forms(type.base, needed_forms(type)); }

bool may_be_result(const Type& type, bool alone) {
  if (type.optional || type.element_optional || type.size) return false;
  if (!type.list) return has_forms(type.base, kResult);
  return alone && has_forms(type.base, kListResult);
}

std::vector<std::string> argument_forms(const Type& type) {
  std::vector<std::string> forms;
  for (const bool list : {false, true}) {
    for (const auto size : {std::optional<int64_t>(), std::optional<int64_t>(2)}) {
      for (const bool element : {false, true}) {
        for (const bool optional : {false, true}) {
          Type form{.base = type.base, .object = type.object};
          form.list = list, form.size = size;
          form.element_optional = element, form.optional = optional;
          const bool is_type = list || (!size && !element);
          if (is_type && may_be_argument(form)) forms.push_back(print(form));
        }
      }
    }
  }
  return forms;
}

std::vector<std::string> result_types(bool alone) {
  std::vector<std::string> types;
  for (const ValueType& value : kValueTypes) {
    for (const bool list : {false, true}) {
      Type type{.base = value.base, .object = "a type of objects"};
      type.list = list;
      if (may_be_result(type, alone)) types.push_back(print(type));
    }
  }
  return types;
}

}  // namespace opweave::codegen
