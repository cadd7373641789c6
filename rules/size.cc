// Arithmetic and order of sizes.
#include "rules/size.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

namespace opweave::rule {
namespace {

bool is_sum(const std::string& text) {
  return text.find(' ') != std::string::npos && !text.ends_with(')');
}

std::string in_parentheses(const Size& size) {
  const std::string text = size.text();
  return is_sum(text) || text.find("//") != std::string::npos ? "(" + text + ")" : text;
}

[[noreturn]] void too_large() { throw NoShape{"a size is out of the range of 64-bit integers"}; }

// Names stand for sizes of at least 2: more of them in one product are out of the range as well.
constexpr size_t kMostFactors = 63;

int64_t sum_of(int64_t a, int64_t b) {
  if (__builtin_add_overflow(a, b, &a)) too_large();
  return a;
}

int64_t product_of(int64_t a, int64_t b) {
  if (__builtin_mul_overflow(a, b, &a)) too_large();
  return a;
}

}  // namespace

void Effort::spend(size_t units) {
  if (depth_ == 0) return;
  if (units > left_) {
    throw NoShape{"working out the sizes takes more than " + std::to_string(kMost) +
                      " steps or list elements",
                  NoShape::Kind::unknown};
  }
  left_ -= units;
}

std::string SharedParts::shared(std::string text) {
  constexpr size_t kLongest = 32;
  if (!current_ || text.size() <= kLongest) return text;
  auto& all = current_->all_;
  const auto known = std::ranges::find(all, text, [](const auto& part) { return part.second; });
  if (known != all.end()) return known->first;
  return all.emplace_back("$" + std::to_string(all.size() + 1), std::move(text)).first;
}

Size::Size(int64_t value) {
  if (value != 0) terms_[{}] = value;
}

Size Size::atom(std::string text, std::optional<int64_t> least) {
  Size size;
  size.terms_[{Atom{SharedParts::shared(std::move(text)), least}}] = 1;
  return size;
}

Size Size::named(std::string name) { return atom(std::move(name), 2); }

std::optional<int64_t> Size::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return {};
}

std::optional<int64_t> Size::least() const {
  int64_t sum = 0;
  for (const auto& [monomial, factor] : terms_) {
    int64_t product = factor;
    for (const Atom& atom : monomial) {
      if (factor < 0 || !atom.least || *atom.least < 0) return {};
      if (__builtin_mul_overflow(product, *atom.least, &product)) return {};
    }
    if (__builtin_add_overflow(sum, product, &sum)) return {};
  }
  return sum;
}

std::string Size::text() const {
  if (terms_.empty()) return "0";
  std::vector<std::pair<const Monomial*, int64_t>> order;
  for (const auto& [monomial, factor] : terms_) order.emplace_back(&monomial, factor);
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    if (a.first->size() != b.first->size()) return a.first->size() > b.first->size();
    return a.second > 0 && b.second < 0 && a.first->size() > 0;
  });
  std::string out;
  for (const auto& [monomial, factor] : order) {
    std::string product;
    const uint64_t magnitude = factor < 0 ? -static_cast<uint64_t>(factor) : factor;
    if (magnitude != 1 || monomial->empty()) product = std::to_string(magnitude);
    for (const Atom& atom : *monomial) {
      const bool grouped = is_sum(atom.text) || atom.text.find("//") != std::string::npos;
      const bool alone = monomial->size() == 1 && magnitude == 1;
      product +=
          (product.empty() ? "" : "*") + (grouped && !alone ? "(" + atom.text + ")" : atom.text);
    }
    if (out.empty()) {
      out = (factor < 0 ? "-" : "") + product;
    } else {
      out += (factor < 0 ? " - " : " + ") + product;
    }
  }
  return out;
}

Size operator+(const Size& a, const Size& b) {
  Size sum = a;
  for (const auto& [monomial, factor] : b.terms_) {
    int64_t& all = sum.terms_[monomial];
    all = sum_of(all, factor);
    if (all == 0) sum.terms_.erase(monomial);
  }
  return sum;
}

Size operator-(const Size& a, const Size& b) { return a + Size(-1) * b; }

Size operator*(const Size& a, const Size& b) {
  Size product;
  Effort::spend(a.terms_.size() * b.terms_.size());
  for (const auto& [x, m] : a.terms_) {
    for (const auto& [y, n] : b.terms_) {
      Size::Monomial both = x;
      if (x.size() + y.size() > kMostFactors) too_large();
      both.insert(both.end(), y.begin(), y.end());
      std::ranges::sort(both);
      int64_t& all = product.terms_[both];
      all = sum_of(all, product_of(m, n));
      if (all == 0) product.terms_.erase(both);
    }
  }
  return product;
}

// By one product, where that divides every term: (4*H*N)//N is 4*H.
std::optional<Size> Size::divided(const Size& a, const Size& b) {
  if (b.terms_.size() != 1 || b.number() || b.terms_.begin()->second == -1) return {};
  const auto& [divisor, factor] = *b.terms_.begin();
  Size quotient;
  for (const auto& [monomial, multiple] : a.terms_) {
    Monomial rest;
    std::ranges::set_difference(monomial, divisor, std::back_inserter(rest));
    const bool divides = rest.size() + divisor.size() == monomial.size() && multiple % factor == 0;
    if (!divides) return {};
    quotient.terms_[rest] = multiple / factor;
  }
  return quotient;
}

// What divides goes out of the quotient; of the rest, numbers are divided and what remains is an
// atom.
Size Size::floor_div(const Size& a, const Size& b) {
  const std::optional<int64_t> divisor = b.number();
  if (divisor == 0) throw NoShape{"a size is divided by 0"};
  if (a == b) return 1;
  if (const std::optional<Size> exact = divided(a, b)) return *exact;
  if (!divisor || *divisor <= 0) {
    return atom(in_parentheses(a) + "//" + in_parentheses(b), {});
  }
  Size whole, rest;
  for (const auto& [monomial, factor] : a.terms_) {
    const bool divides = factor % *divisor == 0;
    (divides ? whole : rest).terms_[monomial] = divides ? factor / *divisor : factor;
  }
  if (const std::optional<int64_t> number = rest.number()) {
    const int64_t quotient = *number / *divisor - (*number % *divisor < 0 ? 1 : 0);
    return whole + Size(quotient);
  }
  // The number in it keeps what does not divide: (H + 5)//2 is (H + 1)//2 + 2.
  if (const auto constant = rest.terms_.find({}); constant != rest.terms_.end()) {
    int64_t remainder = constant->second % *divisor;
    if (remainder < 0) remainder += *divisor;
    const int64_t multiple = sum_of(constant->second, -remainder);
    whole = whole + Size(multiple / *divisor);
    rest = rest - Size(multiple);
  }
  const std::optional<int64_t> least = rest.least();
  return whole + atom(in_parentheses(rest) + "//" + std::to_string(*divisor),
                      least ? std::optional(*least / *divisor) : std::nullopt);
}

namespace {

Condition open(const Size& a, std::string_view symbol, const Size& b) {
  return {Condition::Kind::open, a.text() + " " + std::string(symbol) + " " + b.text()};
}

std::string grouped(const Condition& c) {
  return c.text.find(" || ") != std::string::npos ? "(" + c.text + ")" : c.text;
}

}  // namespace

// By how much the first is at least larger; nothing where that is not known.
static std::optional<int64_t> least_excess(const Size& a, const Size& b) {
  try {
    return (a - b).least();
  } catch (const NoShape&) {
    return {};  // too large to tell
  }
}

Condition equal(const Size& a, const Size& b) {
  if (a == b) return Condition::of(true);
  if (a.number() && b.number()) return Condition::of(false);
  for (const auto& excess : {least_excess(a, b), least_excess(b, a)}) {
    if (excess && *excess > 0) return Condition::of(false);
  }
  return open(a, "==", b);
}

Condition less_or_equal(const Size& a, const Size& b) {
  // No size is larger than what an int holds.
  if (b.number() == std::numeric_limits<int64_t>::max()) return Condition::of(true);
  if (const auto x = a.number(), y = b.number(); x && y) return Condition::of(*x <= *y);
  const auto room = least_excess(b, a), excess = least_excess(a, b);
  if (room && *room >= 0) return Condition::of(true);
  if (excess && *excess > 0) return Condition::of(false);
  return open(a, "<=", b);
}

Condition less(const Size& a, const Size& b) {
  if (const auto x = a.number(), y = b.number(); x && y) return Condition::of(*x < *y);
  const auto room = least_excess(b, a), excess = least_excess(a, b);
  if (room && *room > 0) return Condition::of(true);
  if (excess && *excess >= 0) return Condition::of(false);
  return open(a, "<", b);
}

Condition both(const Condition& a, const Condition& b) {
  using Kind = Condition::Kind;
  if (a.kind == Kind::no || b.kind == Kind::yes) return a;
  if (b.kind == Kind::no || a.kind == Kind::yes) return b;
  if (a.text == b.text) return a;
  Effort::spend(a.text.size() + b.text.size());
  return {Kind::open, grouped(a) + " && " + grouped(b)};
}

Condition either(const Condition& a, const Condition& b) {
  using Kind = Condition::Kind;
  if (a.kind == Kind::yes || b.kind == Kind::no) return a;
  if (b.kind == Kind::yes || a.kind == Kind::no) return b;
  if (a.text == b.text) return a;
  Effort::spend(a.text.size() + b.text.size());
  return {Kind::open, a.text + " || " + b.text};
}

Condition negated(const Condition& a) {
  using Kind = Condition::Kind;
  if (a.kind != Kind::open) return Condition::of(a.kind == Kind::no);
  return {Kind::open, "!(" + a.text + ")"};
}

Size select(const Condition& condition, const Size& a, const Size& b) {
  if (condition.kind != Condition::Kind::open)
    return condition.kind == Condition::Kind::yes ? a : b;
  if (a == b) return a;
  const auto x = a.least(), y = b.least();
  return Size::atom("(" + condition.text + " ? " + a.text() + " : " + b.text() + ")",
                    x && y ? std::optional(std::min(*x, *y)) : std::nullopt);
}

Size smaller(const Size& a, const Size& b) {
  if (less_or_equal(a, b).kind == Condition::Kind::yes) return a;
  return select(less(b, a), b, a);
}

Size larger(const Size& a, const Size& b) {
  if (const auto x = a.number(), y = b.number(); x && y) return std::max(*x, *y);
  return a + b - smaller(a, b);
}

Size clamped(const Size& index, const Size& size) {
  if (const auto number = index.number(); number && *number < 0) {
    const Size at = index + size;
    return select(less(at, Size(0)), Size(0), at);
  }
  if (less_or_equal(index, size).kind == Condition::Kind::yes) return index;
  return select(less_or_equal(size, index), size, index);
}

}  // namespace opweave::rule
