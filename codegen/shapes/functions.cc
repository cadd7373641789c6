// Rule functions, evaluated with the templates that the runtime uses.
#include "codegen/shapes/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/shapes/arguments.h"
#include "codegen/shapes/arithmetic.h"
#include "codegen/shapes/promotion.h"
#include "dtypes/dtype.h"
#include "rules/views.h"

namespace opweave::codegen {
namespace generic = rule::generic;

size_t index_in(const Sizes& list, int64_t index, size_t end) {
  if (index >= 0 && static_cast<size_t>(index) < end) return static_cast<size_t>(index);
  throw NoShape{fmt::format("index {} is out of range for the list {}", index, text_of(list))};
}

void expect_as_long(const Sizes& list, const Sizes& other) {
  if (list.size() < other.size())
    throw NoShape{fmt::format("the list {} is shorter than {}", text_of(list), text_of(other))};
}

int64_t wrap(int64_t dim, int64_t rank) {
  const int64_t range = std::max<int64_t>(rank, 1);
  if (dim >= -range && dim < range) return dim < 0 ? dim + range : dim;
  throw NoShape{
      fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                  -range, range - 1, dim)};
}

Condition same(const Sizes& a, const Sizes& b) {
  if (a.size() != b.size()) return Condition::of(false);
  Condition all;
  for (size_t i = 0; i < a.size(); ++i) all = both(all, equal(a[i], b[i]));
  return all;
}

namespace {

Sizes reduced(const Sizes& sizes, const std::vector<int64_t>& dims, bool keepdim) {
  std::vector<bool> mask(std::max<size_t>(sizes.size(), 1), dims.empty());
  for (int64_t dim : dims) {
    const int64_t wrapped = wrap(dim, static_cast<int64_t>(sizes.size()));
    if (mask[wrapped])
      throw NoShape{fmt::format("dim {} appears multiple times in the list of dims", wrapped)};
    mask[wrapped] = true;
  }
  return generic::reduced<Sizes>(
      sizes, [&](size_t i) { return mask[i]; }, keepdim);
}

Size size_along(const Sizes& sizes, int64_t dim) {
  const int64_t wrapped = wrap(dim, static_cast<int64_t>(sizes.size()));
  return sizes.empty() ? Size(1) : sizes[static_cast<size_t>(wrapped)];
}

// Names stand for sizes that are not 0.
int64_t first_empty(const Sizes& sizes, const std::vector<int64_t>& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (size_along(sizes, dims[i]) == Size(0)) return static_cast<int64_t>(i);
  }
  return -1;
}

Condition broadcasts_to(const Sizes& from, const Sizes& to) {
  if (from.size() > to.size()) return Condition::of(false);
  Condition all;
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    all = both(all, either(equal(from[i], 1), equal(from[i], to[offset + i])));
  }
  return all;
}

Condition ends_with(const Sizes& list, const Sizes& end) {
  if (list.size() < end.size()) return Condition::of(false);
  return same(generic::copy<Sizes>(list, list.size() - end.size(), list.size()), end);
}

// But for the elements at one index.
Condition same_but(const Sizes& a, const Sizes& b, int64_t but) {
  Condition all = Condition::of(a.size() == b.size());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (static_cast<int64_t>(i) != but) all = both(all, equal(a[i], b[i]));
  }
  return all;
}

// -1 if there is none.
int64_t repeated_dim(const std::vector<int64_t>& dims, int64_t rank) {
  std::vector<int64_t> seen;
  for (int64_t dim : dims) {
    const int64_t wrapped = wrap(dim, rank);
    if (std::ranges::count(seen, wrapped) != 0) return wrapped;
    seen.push_back(wrapped);
  }
  return -1;
}

std::string joined(const Sizes& list, std::string_view between) {
  std::string text;
  for (const Size& size : list) text += (text.empty() ? "" : std::string(between)) + size.text();
  return text;
}

Size least_of(const Sizes& list) {
  if (list.empty()) throw NoShape{"the smallest of no sizes is asked for"};
  Size least = list.front();
  for (const Size& size : list) {
    const Condition smaller = less(size, least);
    if (smaller.kind == Condition::Kind::open) {
      throw NoShape{fmt::format("the smallest of {} is not known", text_of(list)),
                    NoShape::Kind::unknown};
    }
    if (smaller.kind == Condition::Kind::yes) least = size;
  }
  return least;
}

// Of a dtype that is known: see call_rule_function. Another name is no dtype, and a mistake.
ScalarType known_dtype(const std::string& name) {
  const std::optional<ScalarType> dtype = dtype_from_name(name);
  if (!dtype) throw NoShape{fmt::format("unknown dtype '{}'", name), NoShape::Kind::unknown};
  return *dtype;
}

bool is_in(const std::string& name, DtypeMask mask) { return contains(mask, known_dtype(name)); }

// As messages spell a dtype.
Value spelled(std::string_view name) { return {std::string(name)}; }

// Whether a dtype among the arguments is not known, so that nothing that follows from it is.
bool asks_unknown_dtype(const Values& arguments) {
  return std::ranges::any_of(arguments, [](const Value& value) {
    const auto* dtype = value.as<DtypeName>();
    return value.as<Unknown>() || (dtype && dtype->name.empty());
  });
}

using A = const Arguments&;
using C = Conditions&;

// About dimensions, and about what goes together.
const Functions& dimension_functions() {
  static const Functions table = {
      {"wrap", [](A a, C) { return Value{Size(wrap(a.number(0), a.number(1)))}; }},
      {"reduced",
       [](A a, C) {
         const auto dims = a.is_none(1) ? std::vector<int64_t>() : a.numbers(1);
         return Value{reduced(a.sizes(0), dims, a.truth(2))};
       }},
      {"reduced.dim",
       [](A a, C) {
         const auto dims = a.is_none(1) ? std::vector<int64_t>() : std::vector{a.number(1)};
         return Value{reduced(a.sizes(0), dims, a.truth(2))};
       }},
      {"with_dim",
       [](A a, C) {
         wrap(a.number(1), a.rank(0));
         return Value{a.sizes(0)};
       }},
      {"size_along", [](A a, C) { return Value{size_along(a.sizes(0), a.number(1))}; }},
      {"broadcast",
       [](A a, C c) {
         const ArithmeticConditions scope(c);
         return Value{generic::broadcast<Size, Sizes>(a.sizes(0), a.sizes(1))};
       }},
      {"broadcasts_to", [](A a, C) { return Value{broadcasts_to(a.sizes(0), a.sizes(1))}; }},
      {"expanded",
       [](A a, C c) {
         c.require(
             broadcasts_to(a.sizes(0), a.sizes(1)),
             fmt::format("{} does not broadcast to {}", text_of(a.sizes(0)), text_of(a.sizes(1))));
         return Value{a.sizes(1)};
       }},
      {"same", [](A a, C) { return Value{same(a.sizes(0), a.sizes(1))}; }},
      {"same.but", [](A a, C) { return Value{same_but(a.sizes(0), a.sizes(1), a.number(2))}; }},
      {"repeated_dim", [](A a, C) { return Value{Size(repeated_dim(a.numbers(0), a.number(1)))}; }},
  };
  return table;
}

const Functions& list_functions() {
  static const Functions table = {
      {"concat", [](A a, C) { return Value{generic::concat<Sizes>(a.sizes(0), a.sizes(1))}; }},
      {"first",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         return Value{generic::copy<Sizes>(list, 0, index_in(list, a.number(1), list.size() + 1))};
       }},
      {"last",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         const size_t count = index_in(list, a.number(1), list.size() + 1);
         return Value{generic::copy<Sizes>(list, list.size() - count, list.size())};
       }},
      {"without",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         return Value{generic::without<Sizes>(list, index_in(list, a.number(1), list.size()))};
       }},
      {"without.two",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         return Value{generic::without_two<Sizes>(list, index_in(list, a.number(1), list.size()),
                                                  index_in(list, a.number(2), list.size()))};
       }},
      {"replaced",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         return Value{
             generic::replaced<Sizes>(list, index_in(list, a.number(1), list.size()), a.size(2))};
       }},
      {"inserted",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         const size_t index = index_in(list, a.number(1), list.size() + 1);
         return Value{generic::inserted<Sizes>(list, index, a.size(2))};
       }},
      {"with_last_ones",
       [](A a, C) {
         const Sizes& sizes = a.sizes(0);
         const size_t count = index_in(sizes, a.number(1), sizes.size() + 1);
         return Value{generic::with_last_ones<Sizes>(sizes, count)};
       }},
      {"ends_with", [](A a, C) { return Value{ends_with(a.sizes(0), a.sizes(1))}; }},
      {"product", [](A a, C) { return Value{generic::product<Size>(a.sizes(0))}; }},
      {"pick",
       [](A a, C) {
         const Sizes& list = a.sizes(0);
         return Value{list.size() == 1 ? list[0] : list[index_in(list, a.number(1), list.size())]};
       }},
      {"at_least_1d", [](A a, C) { return Value{a.rank(0) == 0 ? Sizes{1} : a.sizes(0)}; }},
      {"first_empty", [](A a, C) { return Value{Size(first_empty(a.sizes(0), a.numbers(1)))}; }},
  };
  return table;
}

const Functions& number_functions() {
  static const Functions table = {
      // What device that is, no call says here: it is one with elements.
      {"is_meta", [](A, C) { return Value{Condition::of(false)}; }},
      {"or_else", [](A a, C) { return a.is_none(0) ? a.value(1) : a.value(0); }},
      {"or_else.int", [](A a, C) { return a.is_none(0) ? a.value(1) : a.value(0); }},
      {"smallest", [](A a, C) { return Value{least_of(a.sizes(0))}; }},
      {"min", [](A a, C) { return Value{smaller(a.size(0), a.size(1))}; }},
      {"max", [](A a, C) { return Value{larger(a.size(0), a.size(1))}; }},
      {"floor_div", [](A a, C) { return Value{Size::floor_div(a.size(0), a.size(1))}; }},
      {"mod",
       [](A a, C) { return Value{a.size(0) - Size::floor_div(a.size(0), a.size(1)) * a.size(1)}; }},
      {"window",
       [](A a, C) {
         return Value{
             generic::window(a.size(0), a.size(1), a.size(2), a.size(3), a.size(4), a.truth(5))};
       }},
  };
  return table;
}

// About dtypes, and for messages.
const Functions& dtype_functions() {
  static const Functions table = {
      {"accumulated",
       [](A a, C) {
         if (!a.is_none(1)) return Value{DtypeName{a.dtype(1)}};
         return Value{DtypeName{
             is_in(a.dtype(0), dtypes::kIntegral | dtype_bit(kBool)) ? "int64" : a.dtype(0)}};
       }},
      {"logical",
       [](A a, C) { return Value{DtypeName{a.dtype(0) == "uint8" ? "uint8" : "bool"}}; }},
      {"widened",
       [](A a, C) {
         return Value{DtypeName{is_in(a.dtype(0), dtypes::kReducedFloat) ? "float32" : a.dtype(0)}};
       }},
      {"inexact",
       [](A a, C) {
         const bool exact = is_in(a.dtype(0), dtypes::kIntegral | dtype_bit(kBool));
         return Value{DtypeName{exact ? "float32" : a.dtype(0)}};
       }},
      {"promoted", [](A a, C) { return Value{DtypeName{promoted(a.dtype(0), a.dtype(1))}}; }},
      {"is_floating",
       [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), dtypes::kFloating))}; }},
      {"is_integral",
       [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), dtypes::kIntegral))}; }},
      {"is_common",
       [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), dtypes::kCommon))}; }},
      {"is_common_floating",
       [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), dtypes::kCommonFloating))}; }},
      {"type_name", [](A a, C) { return spelled(dtype_info(known_dtype(a.dtype(0))).id); }},
      {"cpp_name", [](A a, C) { return spelled(dtype_info(known_dtype(a.dtype(0))).spelled); }},
      {"number_name", [](A a, C) { return spelled(dtype_info(known_dtype(a.dtype(0))).message); }},
      {"least_counted", [](A a, C) { return Value{Size(least_counted(known_dtype(a.dtype(0))))}; }},
      {"largest_counted",
       [](A a, C) { return Value{Size(largest_counted(known_dtype(a.dtype(0))))}; }},
      {"joined", [](A a, C) { return Value{joined(a.sizes(0), ", ")}; }},
      {"crossed", [](A a, C) { return Value{joined(a.sizes(0), " x ")}; }},
  };
  return table;
}

}  // namespace

void Conditions::require(const Condition& condition, const std::string& message) {
  if (condition.kind == Condition::Kind::no) throw NoShape{message};
  const bool is_new = condition.kind == Condition::Kind::open &&
                      std::ranges::find(all_, condition.text) == all_.end();
  if (is_new) all_.push_back(condition.text);
}

Value call_rule_function(const Schema& schema, const Values& arguments, Conditions& conditions) {
  for (const Functions* table :
       {&dimension_functions(), &list_functions(), &window_functions(), &number_functions(),
        &dtype_functions(), &view_functions(), &tensor_functions()}) {
    const auto found = table->find(schema.full_name());
    if (found == table->end()) continue;
    if (table == &dtype_functions() && asks_unknown_dtype(arguments)) return {Unknown()};
    return found->second(Arguments(schema, arguments), conditions);
  }
  if (!rule_function(schema).symbolic) return {Unknown()};
  throw NoShape{fmt::format("'{}' is not known for unknown sizes", schema.base_name),
                NoShape::Kind::unknown};
}

}  // namespace opweave::codegen
