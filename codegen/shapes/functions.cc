// Rule functions, evaluated with the templates that the runtime uses.
#include "codegen/shapes/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/model/entries/entry.h"
#include "codegen/shapes/arithmetic.h"

namespace opweave::codegen {
namespace {

namespace generic = rule::generic;

// The arguments of one call, by their types.
class Arguments {
 public:
  Arguments(const Schema& schema, const Values& values) : schema_(schema), values_(values) {}

  const Size& size(size_t i) const { return get<Size>(i); }
  const Sizes& sizes(size_t i) const { return get<Sizes>(i); }
  int64_t rank(size_t i) const { return static_cast<int64_t>(sizes(i).size()); }
  bool is_none(size_t i) const { return values_[i].as<Nothing>() != nullptr; }
  std::string dtype(size_t i) const { return get<DtypeName>(i).name; }

  // Dimensions and options have to be known.
  int64_t number(size_t i) const { return known(size(i), i); }
  std::vector<int64_t> numbers(size_t i) const {
    std::vector<int64_t> numbers;
    for (const Size& size : sizes(i)) numbers.push_back(known(size, i));
    return numbers;
  }
  bool truth(size_t i) const {
    const auto& condition = get<Condition>(i);
    if (condition.kind == Condition::Kind::open) not_known(i);
    return condition.kind == Condition::Kind::yes;
  }

 private:
  template <class T>
  const T& get(size_t i) const {
    if (const T* value = values_[i].as<T>()) return *value;
    not_known(i);
  }
  int64_t known(const Size& size, size_t i) const {
    if (const auto number = size.number()) return *number;
    not_known(i);
  }
  [[noreturn]] void not_known(size_t i) const {
    throw NoShape{fmt::format("{}(): '{}' has to be a known number here", schema_.base_name,
                              schema_.arguments[i].name)};
  }

  const Schema& schema_;
  const Values& values_;
};

size_t index_in(const Sizes& list, int64_t index, size_t end) {
  if (index >= 0 && static_cast<size_t>(index) < end) return static_cast<size_t>(index);
  throw NoShape{fmt::format("index {} is out of range for the list {}", index, text_of(list))};
}

int64_t wrap(int64_t dim, int64_t rank) {
  const int64_t range = std::max<int64_t>(rank, 1);
  if (dim >= -range && dim < range) return dim < 0 ? dim + range : dim;
  throw NoShape{
      fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                  -range, range - 1, dim)};
}

Sizes reduced(const Sizes& sizes, const std::vector<int64_t>& dims, bool keepdim) {
  std::vector<bool> mask(std::max<size_t>(sizes.size(), 1), dims.empty());
  for (int64_t dim : dims) mask[wrap(dim, static_cast<int64_t>(sizes.size()))] = true;
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

Condition same(const Sizes& a, const Sizes& b) {
  if (a.size() != b.size()) return Condition::of(false);
  Condition all;
  for (size_t i = 0; i < a.size(); ++i) all = both(all, equal(a[i], b[i]));
  return all;
}

Condition ends_with(const Sizes& list, const Sizes& end) {
  if (list.size() < end.size()) return Condition::of(false);
  return same(generic::copy<Sizes>(list, list.size() - end.size(), list.size()), end);
}

Condition fits_into(const Sizes& a, const Sizes& b) {
  Condition all = Condition::of(a.size() == b.size());
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) all = both(all, less_or_equal(a[i], b[i]));
  return all;
}

Condition all_between(const Sizes& list, const Size& low, const Size& high) {
  Condition all;
  for (const Size& size : list) {
    all = both(all, both(less_or_equal(low, size), less_or_equal(size, high)));
  }
  return all;
}

Size least_of(const Sizes& list) {
  Size least = list.front();
  for (const Size& size : list) {
    const Condition smaller = less(size, least);
    if (smaller.kind == Condition::Kind::open) {
      throw NoShape{fmt::format("the smallest of {} is not known", text_of(list))};
    }
    if (smaller.kind == Condition::Kind::yes) least = size;
  }
  return least;
}

bool is_in(const std::string& name, std::string_view group) {
  const std::optional<ScalarType> dtype = dtype_from_name(name);
  return dtype && dtype_group(group)->contains(*dtype);
}

bool is_in(const std::string& name, DtypeMask mask) {
  const std::optional<ScalarType> dtype = dtype_from_name(name);
  return dtype && contains(mask, *dtype);
}

DtypeName promoted(const std::string& a, const std::string& b) { return {a == b ? a : ""}; }

using Function = Value (*)(const Arguments&, Conditions&);

using A = const Arguments&;
using C = Conditions&;
using Functions = std::map<std::string_view, Function>;

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
      {"first_empty", [](A a, C) { return Value{Size(first_empty(a.sizes(0), a.numbers(1)))}; }},
  };
  return table;
}

// Of convolutions and poolings.
const Functions& window_functions() {
  static const Functions table = {
      {"extents",
       [](A a, C) { return Value{generic::extents<Size, Sizes>(a.sizes(0), a.sizes(1))}; }},
      {"padded",
       [](A a, C) { return Value{generic::padded<Size, Sizes>(a.sizes(0), a.sizes(1))}; }},
      {"convolved",
       [](A a, C) {
         return Value{generic::convolved<Size, Sizes>(a.sizes(0), a.sizes(1), a.sizes(2),
                                                      a.sizes(3), a.sizes(4))};
       }},
      {"transposed_convolved",
       [](A a, C) {
         return Value{generic::transposed_convolved<Size, Sizes>(
             a.sizes(0), a.sizes(1), a.sizes(2), a.sizes(3), a.sizes(4), a.sizes(5), a.size(6))};
       }},
      {"fits_into", [](A a, C) { return Value{fits_into(a.sizes(0), a.sizes(1))}; }},
      {"all_between", [](A a, C) { return Value{all_between(a.sizes(0), a.size(1), a.size(2))}; }},
  };
  return table;
}

const Functions& number_functions() {
  static const Functions table = {
      {"smallest", [](A a, C) { return Value{least_of(a.sizes(0))}; }},
      {"min",
       [](A a, C) {
         return Value{least_of({a.size(0), a.size(1)})};
       }},
      {"max",
       [](A a, C) {
         return Value{a.size(0) + a.size(1) - least_of({a.size(0), a.size(1)})};
       }},
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
      {"or_else", [](A a, C) { return Value{DtypeName{a.is_none(0) ? a.dtype(1) : a.dtype(0)}}; }},
      {"or_else.int", [](A a, C) { return Value{a.is_none(0) ? a.size(1) : a.size(0)}; }},
      {"accumulated",
       [](A a, C) {
         if (!a.is_none(1)) return Value{DtypeName{a.dtype(1)}};
         return Value{DtypeName{is_in(a.dtype(0), "integral_or_bool") ? "int64" : a.dtype(0)}};
       }},
      {"logical",
       [](A a, C) { return Value{DtypeName{a.dtype(0) == "uint8" ? "uint8" : "bool"}}; }},
      {"widened",
       [](A a, C) {
         return Value{DtypeName{is_in(a.dtype(0), dtypes::kReducedFloat) ? "float32" : a.dtype(0)}};
       }},
      {"promoted", [](A a, C) { return Value{promoted(a.dtype(0), a.dtype(1))}; }},
      {"is_floating", [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), "floating"))}; }},
      {"is_integral", [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), "integral"))}; }},
      {"is_common",
       [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), dtypes::kCommon))}; }},
      {"is_common_floating",
       [](A a, C) { return Value{Condition::of(is_in(a.dtype(0), dtypes::kCommonFloating))}; }},
      {"type_name", [](A a, C) { return Value{a.dtype(0)}; }},
      {"cpp_name", [](A a, C) { return Value{a.dtype(0)}; }},
      {"joined",
       [](A a, C) {
         const std::string text = text_of(a.sizes(0));
         return Value{text.substr(1, text.size() - 2)};
       }},
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
  for (const Functions* table : {&dimension_functions(), &list_functions(), &window_functions(),
                                 &number_functions(), &dtype_functions()}) {
    const auto found = table->find(schema.full_name());
    if (found != table->end()) return found->second(Arguments(schema, arguments), conditions);
  }
  throw NoShape{rule_function(schema).symbolic
                    ? fmt::format("'{}' is not known for unknown sizes", schema.base_name)
                    : fmt::format("'{}' depends on what only a tensor knows", schema.base_name)};
}

}  // namespace opweave::codegen
