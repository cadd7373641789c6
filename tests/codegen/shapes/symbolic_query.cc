// Names for sizes, and comparison of conditions.
#include "tests/codegen/shapes/symbolic_query.h"

#include <algorithm>
#include <set>

#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

using symbolic::SymDims;
using symbolic::SymInt;
using symbolic::SymTensor;
using symbolic::SymValue;

ScalarType dtype_of(const std::string& name) {
  return dtype_from_name(name).value_or(ScalarType::kUndefined);
}

class Query {
 public:
  explicit Query(Naming naming) : naming_(naming) {}

  void add(const Type& type, const Value& value) { query_.arguments.push_back(both(type, value)); }
  SymbolicQuery take() { return std::move(query_); }

 private:
  SymValue both(const Type& type, const Value& value) {
    query_.values.push_back(value);
    if (const auto* tensor = value.as<ShapedTensor>()) {
      const auto [shaped, symbols] = named(*tensor);
      query_.values.back() = {shaped};
      return symbols;
    }
    if (type.list && type.base == BaseType::tensor) return tensors(value);
    if (type.list && type.base == BaseType::boolean) return truths(value);
    return plain(type, value);
  }

  SymValue tensors(const Value& value) {
    std::vector<SymTensor> symbols;
    Values shapes;
    if (const auto* items = value.as<Values>()) {
      for (const Value& item : *items) {
        const auto* tensor = item.as<ShapedTensor>();
        const auto [shaped, symbol] = named(tensor ? *tensor : ShapedTensor{{}, "", false});
        shapes.push_back({shaped});
        symbols.push_back(symbol);
      }
      query_.values.back() = {shapes};
    }
    return symbols;
  }

  SymValue truths(const Value& value) {
    std::vector<bool> all;
    if (const auto* items = value.as<Values>()) {
      for (const Value& item : *items)
        all.push_back(item.as<Condition>() && item.as<Condition>()->kind == Condition::Kind::yes);
    }
    return all;
  }

  SymValue plain(const Type& type, const Value& value) {
    if (value.as<Nothing>()) return std::monostate();
    if (const auto* truth = value.as<Condition>()) {
      const bool is = truth->kind == Condition::Kind::yes;
      return type.base == BaseType::scalar ? SymValue(Scalar(is)) : SymValue(is);
    }
    if (const auto* text = value.as<std::string>()) return *text;
    if (const auto* dtype = value.as<DtypeName>()) return dtype_of(dtype->name);
    if (const auto* sizes = value.as<Sizes>()) return numbers(*sizes);
    if (const auto* size = value.as<Size>()) return number(type, *size->number());
    if (const auto* real = value.as<double>())
      return type.base == BaseType::scalar ? SymValue(Scalar(*real)) : SymValue(*real);
    return unknown(type);
  }

  static SymValue number(const Type& type, int64_t value) {
    if (type.base == BaseType::scalar) return Scalar(value);
    if (type.base == BaseType::floating) return static_cast<double>(value);
    return SymInt(value);
  }

  static SymDims numbers(const Sizes& sizes) {
    SymDims list;
    for (const Size& size : sizes) list.push_back(*size.number());
    return list;
  }

  // A number that samples draw.
  SymValue unknown(const Type& type) {
    if (type.base == BaseType::scalar) return Scalar(0.5);
    if (type.base == BaseType::floating) return 0.5;
    query_.complete = query_.complete && type.optional;
    return std::monostate();
  }

  std::pair<ShapedTensor, SymTensor> named(const ShapedTensor& tensor) {
    if (!tensor.defined) return {tensor, {}};
    Sizes sizes;
    SymDims symbols;
    for (const Size& size : tensor.sizes) {
      const int64_t number = *size.number();
      sizes.push_back(number < 2 ? size : Size::named(name_for(number)));
      symbols.push_back(number < 2 ? SymInt(number) : SymInt(sizes.back(), number));
    }
    return {dense_tensor(sizes, tensor.dtype), SymTensor(symbols, dtype_of(tensor.dtype))};
  }

  std::string name_for(int64_t number) {
    if (naming_ == Naming::kByNumber) return "N" + std::to_string(number);
    const int at = count_++;
    return std::string(1, static_cast<char>('A' + at % 26)) +
           (at < 26 ? "" : std::to_string(at / 26));
  }

  SymbolicQuery query_;
  Naming naming_;
  int count_ = 0;
};

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at; (at = text.find(by, begin)) != std::string::npos; begin = at + by.size())
    parts.push_back(text.substr(begin, at - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

// The sides of an equality in one order.
std::string ordered(const std::string& text) {
  if (text.starts_with("!(") && text.ends_with(")"))
    return "!(" + ordered(text.substr(2, text.size() - 3)) + ")";
  std::vector<std::string> sides = split(text, " == ");
  if (sides.size() != 2) return text;
  std::ranges::sort(sides);
  return sides[0] + " == " + sides[1];
}

// Of `(condition ? a : b)` what a guard chose: a rule with a conditional goes one way.
std::string chosen(std::string text, const std::string& guard, std::set<std::string>& left) {
  const bool holds = !guard.starts_with("!(");
  const std::string condition = holds ? guard : guard.substr(2, guard.size() - 3);
  const std::string opening = "(" + condition + " ? ";
  for (size_t at; (at = text.find(opening)) != std::string::npos; left.erase(guard)) {
    const size_t first = at + opening.size();
    size_t middle = first, end = first;
    for (int depth = 0; depth >= 0; ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (depth == 0 && middle == first && text.compare(end, 3, " : ") == 0) middle = end;
    }
    const std::string way = holds ? text.substr(first, middle - first)
                                  : text.substr(middle + 3, end - 1 - (middle + 3));
    text.replace(at, end - at, way);
  }
  return text;
}

// Whether the guards say which of several conditions holds; those that they need go out of `left`.
bool is_chosen(const std::string& condition, const std::set<std::string>& guards,
               std::set<std::string>& left) {
  bool chosen = false;
  for (const std::string& one : split(condition, " || ")) {
    bool holds = true;
    for (const std::string& part : split(one, " && ")) {
      const std::string text = ordered(part);
      holds = holds && guards.contains(text);
      left.erase(text);
      left.erase("!(" + text + ")");
    }
    chosen = chosen || holds;
  }
  return chosen;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n    " + line;
  return text;
}

}  // namespace

SymbolicQuery symbolic_query(const Operator& op, const Values& arguments, Naming naming) {
  Query query(naming);
  for (size_t i = 0; i < op.schema.arguments.size(); ++i)
    query.add(op.schema.arguments[i].type, arguments[i]);
  return query.take();
}

std::string Answers::difference() const {
  std::set<std::string> guarded, ways(guards.begin(), guards.end());
  std::vector<std::string> wanted = expected;
  for (std::string& result : wanted) {
    for (const std::string& guard : guards) result = chosen(result, guard, ways);
  }
  if (wanted != given) return "results" + joined(expected) + "\n  but" + joined(given);
  for (const std::string& guard : ways) guarded.insert(ordered(guard));
  std::set<std::string> left = guarded;
  bool same = true;
  for (const std::string& condition : conditions)
    same = is_chosen(condition, guarded, left) && same;
  if (same && left.empty()) return "";
  return "conditions" + joined(conditions) + "\n  but" + joined(guards);
}

}  // namespace opweave::codegen
