// Values of sample calls: `real(2x3)`, `[[1, 2], [3, 4]]`, `[real(2), real(3)]`, `1.5`, `float32`.
#include "codegen/model/entries/sample_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/entry.h"
#include "codegen/model/entries/keys.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/scanner.h"
#include "codegen/syntax/yaml_places.h"
#include "schema/constant_parser.h"
#include "schema/number_text.h"

namespace opweave::codegen {
namespace {

using words::kDomains;

constexpr int64_t kMostElements = 1000;

class ValueReader {
 public:
  ValueReader(const Argument& argument, const LocatedText& key, const Schema& schema,
              DiagnosticSink& sink)
      : argument_(argument), key_(key), schema_(schema), sink_(sink) {}

  std::optional<SampleValue> read(const YamlNode& value) {
    const Type& type = argument_.type;
    if (is_none(value)) {
      if (type.optional) return SampleValue();
      if (!is_text(value)) return wrong(value);
    }
    if (!type.list) return read_element(type, value);
    if (value.is_sequence()) return read_list(type, value);
    // `int[2]` takes one int for all.
    if (type.size && !type.is_tensor_list()) return read_element(type, value);
    return wrong(value);
  }

 private:
  static bool is_none(const YamlNode& value) {
    return value.is_null() || (value.is_scalar() && !value.quoted && value.text.text == "none");
  }
  // For a string, `none` is a word like any other.
  bool is_text(const YamlNode& value) const {
    return argument_.type.base == BaseType::string && value.is_scalar();
  }

  std::optional<SampleValue> read_list(const Type& type, const YamlNode& value) {
    // `int[2]` may be given one number, `bool[2]` is two.
    if (type.base == BaseType::boolean && type.size && std::ssize(value.items) != *type.size)
      return wrong_length(value);
    SampleValue list;
    list.kind = type.is_tensor_list() ? SampleValue::Kind::list : SampleValue::Kind::constant;
    list.constant.kind = Constant::Kind::list;
    for (const YamlNode* item : value.items) {
      const bool none = type.element_optional && is_none(*item);
      std::optional<SampleValue> read = none ? SampleValue() : read_element(type, *item);
      if (!read) return {};
      if (type.is_tensor_list()) {
        list.items.push_back(std::move(*read));
      } else {
        list.constant.items.push_back(std::move(read->constant));
      }
    }
    return list;
  }

  std::optional<SampleValue> read_element(const Type& type, const YamlNode& value) {
    if (type.base == BaseType::tensor) return read_tensor(value);
    std::optional<Constant> constant =
        value.is_scalar() ? read_constant(type.base, value) : std::nullopt;
    if (!constant) return wrong(value);
    SampleValue read;
    read.constant = std::move(*constant);
    return read;
  }

  static Constant symbol(Constant::Kind kind, std::string_view text) {
    Constant constant;
    constant.kind = kind;
    constant.string = text;
    return constant;
  }

  static std::optional<Constant> read_constant(BaseType base, const YamlNode& value) {
    const std::string_view text = value.text.text;
    switch (base) {
      case BaseType::string:
        return symbol(Constant::Kind::string, text);
      case BaseType::scalar_type:
      case BaseType::layout:
      case BaseType::memory_format:
        if (find_named_value(text, base) == nullptr) return {};
        return symbol(Constant::Kind::symbol, text);
      case BaseType::device:
        return symbol(Constant::Kind::string, text);
      case BaseType::boolean:
        return read_boolean(value);
      case BaseType::integer:
      case BaseType::floating:
      case BaseType::scalar:
        return read_number(base, value);
      default:
        return {};
    }
  }

  static std::optional<Constant> read_boolean(const YamlNode& value) {
    const std::string_view text = value.text.text;
    if (value.quoted || (text != "true" && text != "false")) return {};
    Constant constant;
    constant.kind = Constant::Kind::boolean;
    constant.boolean = text == "true";
    return constant;
  }

  static std::optional<Constant> read_number(BaseType base, const YamlNode& value) {
    if (value.quoted) return {};
    std::optional<Constant> number = schema::parse_number(value.text.text);
    if (!number && value.text.text == "nan") {
      number.emplace();
      number->kind = Constant::Kind::real;
      number->real = std::numeric_limits<double>::quiet_NaN();
    }
    if (!number && base == BaseType::scalar) return read_boolean(value);
    if (number && base == BaseType::integer && number->kind != Constant::Kind::integer) return {};
    return number;
  }

  std::optional<SampleValue> read_tensor(const YamlNode& value) {
    if (value.is_scalar() && value.text.text.find('(') != std::string_view::npos) {
      return read_drawn(value.text);
    }
    SampleValue read;
    read.kind = SampleValue::Kind::elements;
    std::optional<Constant> elements = read_elements(value);
    if (!elements) return wrong(value);
    read.constant = std::move(*elements);
    return read;
  }

  // Numbers, or lists of them of one length.
  std::optional<Constant> read_elements(const YamlNode& value) {
    if (value.is_scalar()) return read_number(BaseType::scalar, value);
    if (!value.is_sequence()) return {};
    Constant list;
    list.kind = Constant::Kind::list;
    for (const YamlNode* item : value.items) {
      std::optional<Constant> read = read_elements(*item);
      if (!read || !same_shape(list.items.empty() ? *read : list.items.front(), *read)) return {};
      list.items.push_back(std::move(*read));
    }
    return list;
  }
  static bool same_shape(const Constant& a, const Constant& b) {
    const bool list = a.kind == Constant::Kind::list;
    if (list != (b.kind == Constant::Kind::list) || a.items.size() != b.items.size()) return false;
    return !list || a.items.empty() || same_shape(a.items.front(), b.items.front());
  }

  // `real(2x3)`, `below_5(3)`, `real()`, `real(2):float32`.
  std::optional<SampleValue> read_drawn(const LocatedText& text) {
    SampleValue read;
    read.kind = SampleValue::Kind::drawn;
    Scanner scan(text);
    const std::string_view name = scan.take_identifier();
    const Span name_span = scan.span_from(0);
    if (name.starts_with("below_")) {
      const std::optional<Constant> limit = schema::parse_number(name.substr(6));
      if (!limit || limit->kind != Constant::Kind::integer || limit->integer < 1) {
        return unknown_domain(name, name_span);
      }
      read.domain = Domain::below;
      read.limit = limit->integer;
    } else if (const std::optional<Domain> domain = domain_from_name(name)) {
      read.domain = *domain;
    } else {
      return unknown_domain(name, name_span);
    }
    if (read_sizes(scan, read.sizes) && read_dtype(scan, read.dtype)) return read;
    sink_
        .error(Code::bad_value, text.whole(),
               fmt::format("the tensor '{}' in a sample of '{}' cannot be read: '{}'", key_.text,
                           schema_.full_name(), text.text))
        .note({}, fmt::format(
                      "it is DOMAIN(SIZES) or DOMAIN(SIZES):DTYPE, with sizes such as 2x3, 4 or "
                      "none, at most {} elements: real(2x3), below_4(2):int32",
                      kMostElements));
    return {};
  }

  static bool read_sizes(Scanner& scan, std::vector<int64_t>& sizes) {
    if (!scan.take("(")) return false;
    int64_t elements = 1;
    while (!scan.take(")")) {
      if (!sizes.empty() && !scan.take("x")) return false;
      const std::string_view digits = scan.take_while(is_digit);
      const std::optional<Constant> size = schema::parse_number(digits);
      if (!size || size->kind != Constant::Kind::integer || size->integer > kMostElements)
        return false;
      sizes.push_back(size->integer);
      elements *= size->integer;
      if (elements > kMostElements) return false;
    }
    return true;
  }

  // `:float32`, or nothing.
  static bool read_dtype(Scanner& scan, std::string& dtype) {
    if (!scan.take(":")) return scan.at_end();
    dtype = scan.take_identifier();
    return dtype_from_name(dtype) && scan.at_end();
  }

  std::nullopt_t unknown_domain(std::string_view name, Span span) {
    sink_
        .error(Code::bad_value, span,
               fmt::format("'{}' in a sample of '{}' cannot be drawn from '{}'", key_.text,
                           schema_.full_name(), name))
        .suggest(closest(name, kDomains))
        .note({}, fmt::format("the domains are: {}, and below_N for whole numbers from 0 to N - 1",
                              fmt::join(kDomains, ", ")));
    return std::nullopt;
  }

  // The first that is written like a number, in lists too, and is none; null if there is none such.
  static const YamlNode* bad_number(const YamlNode& value) {
    for (const YamlNode* item : value.items) {
      if (const YamlNode* bad = bad_number(*item)) return bad;
    }
    const std::string_view text = value.text.text;
    const bool tried = value.is_scalar() && !value.quoted && schema::looks_like_number(text);
    return tried && !schema::parse_number(text) ? &value : nullptr;
  }

  std::nullopt_t wrong(const YamlNode& value) {
    const Span span = value.is_null() ? key_.whole() : extent(value);
    if (const YamlNode* bad = bad_number(value)) {
      sink_.error(Code::bad_value, bad->text.whole(),
                  fmt::format("'{}' in a sample of '{}': {}", key_.text, schema_.full_name(),
                              schema::number_problem(bad->text.text)));
      return std::nullopt;
    }
    Diagnostic& error =
        sink_.error(Code::type_mismatch, span,
                    fmt::format("'{}' in a sample of '{}' must be {}, not {}", key_.text,
                                schema_.full_name(), wanted(), describe(value)));
    error.note(argument_.span, "the argument is declared here");
    return std::nullopt;
  }

  std::nullopt_t wrong_length(const YamlNode& value) {
    sink_
        .error(Code::type_mismatch, extent(value),
               fmt::format("'{}' in a sample of '{}' must have the {} elements of {}, not {}",
                           key_.text, schema_.full_name(), *argument_.type.size,
                           print(argument_.type), value.items.size()))
        .note(argument_.span, "the argument is declared here");
    return std::nullopt;
  }

  std::string wanted() const {
    const Type& type = argument_.type;
    const std::string or_none = type.optional ? ", or none" : "";
    if (type.is_tensor()) return "a tensor (real(2x3), or its elements)" + or_none;
    return "of type " + print(type);
  }

  const Argument& argument_;
  const LocatedText& key_;
  const Schema& schema_;
  DiagnosticSink& sink_;
};

}  // namespace

std::optional<SampleValue> read_sample_value(const Argument& argument, const LocatedText& key,
                                             const YamlNode& value, const Schema& schema,
                                             DiagnosticSink& sink) {
  return ValueReader(argument, key, schema, sink).read(value);
}

}  // namespace opweave::codegen
