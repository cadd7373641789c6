// Signatures of functions of nn.functional.
#include "codegen/model/operators/nn_signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/operators/schema_checks.h"
#include "codegen/syntax/scanner.h"
#include "schema/constant_parser.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

// PyTorch's numbers of reductions have names in defaults; other integers have none.
bool is_reduction(const Argument& argument) {
  return argument.type.base == BaseType::integer && !argument.type.list && argument.default_value &&
         argument.default_value->kind == Constant::Kind::symbol;
}

Constant string_constant(std::string value) {
  Constant constant{.kind = Constant::Kind::string, .string = std::move(value)};
  constant.text = "'" + constant.string + "'";
  return constant;
}

// `Mean` of schemas is 'mean' in nn.functional.
std::string reduction_name(std::string symbol) {
  symbol[0] = static_cast<char>(symbol[0] - 'A' + 'a');
  return symbol;
}

NnParameter parameter_of(const Schema& of, size_t index) {
  NnParameter parameter{NnRole::argument, static_cast<uint16_t>(index), of.arguments[index]};
  Argument& face = parameter.face;
  face.type.alias.reset();
  if (face.name == "self") face.name = "input";
  if (!is_reduction(face)) return parameter;
  parameter.role = NnRole::reduction;
  face.type = Type{.base = BaseType::string};
  face.default_value = string_constant(reduction_name(face.default_value->string));
  return parameter;
}

Argument flag(std::string_view name, bool or_none) {
  Argument face;
  face.name = name;
  face.type.base = BaseType::boolean;
  face.type.optional = or_none;
  face.default_value = Constant{.kind = or_none ? Constant::Kind::none : Constant::Kind::boolean};
  face.default_value->text = or_none ? "None" : "False";
  return face;
}

class SignatureReader {
 public:
  SignatureReader(const Operator& op, const LocatedText& text, DiagnosticSink& sink)
      : op_(op), text_(text), scan_(text), sink_(sink) {}

  std::optional<NnFunction> read() {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    const std::string name(scan_.take_identifier());
    if (name.empty()) return fail(scan_.here(), "expected the name of a function");
    check_name(name, scan_.span_from(begin));
    scan_.skip_blanks();
    if (scan_.at_end()) {
      return failed_ ? std::nullopt : std::optional(plain_nn_function(op_, name));
    }
    function_.name = name;
    if (!read_parameters()) return {};
    check();
    return failed_ ? std::nullopt : std::optional(std::move(function_));
  }

 private:
  Diagnostic& report(Span span, const std::string& message) {
    failed_ = true;
    return sink_
        .error(Code::bad_nn_function, span,
               fmt::format("in 'nn_function' of '{}': {}", op_.name.full, message))
        .note(op_.origin.span, "the operator is declared here");
  }
  std::nullopt_t fail(Span span, const std::string& message) {
    report(span, message);
    return std::nullopt;
  }
  // One that Python can call, and does not look for itself.
  void check_name(const std::string& name, Span span) {
    if (schema::is_python_keyword(name))
      fail(span, fmt::format("'{}' is a keyword of Python: nobody could call it", name));
    if (name.starts_with("__"))
      fail(span,
           fmt::format("'{}' begins with '__', as names that Python itself looks for do", name));
  }
  bool expect(std::string_view token, std::string_view where) {
    scan_.skip_blanks();
    if (scan_.take(token)) return true;
    fail(scan_.here(), fmt::format("expected '{}' {}", token, where));
    return false;
  }

  bool read_parameters() {
    if (!expect("(", "after the name of the function")) return false;
    bool keyword_only = false;
    do {
      scan_.skip_blanks();
      if (scan_.take("*")) {
        keyword_only = true;
      } else if (!read_parameter(keyword_only)) {
        return false;
      }
      scan_.skip_blanks();
    } while (scan_.take(","));
    if (!expect(")", "or ',' after a parameter")) return false;
    scan_.skip_blanks();
    if (scan_.take("with ") && !read_fixed()) return false;
    if (!scan_.at_end()) fail(scan_.here(), "unexpected text after the signature");
    return !failed_;
  }

  // `with ARGUMENT=VALUE, ...`: what callers cannot say.
  bool read_fixed() {
    do {
      scan_.skip_blanks();
      const uint32_t begin = scan_.position();
      const std::string name(scan_.take_identifier());
      const int index = op_.schema.find_argument(name);
      if (index < 0) {
        fail(scan_.span_from(begin),
             fmt::format("'{}' is no argument of '{}'", name, op_.name.full));
        return false;
      }
      NnFixed fixed{static_cast<uint16_t>(index), op_.schema.arguments[index]};
      if (!expect("=", "after the name of an argument") || !read_constant(fixed.argument)) {
        return false;
      }
      function_.fixed.push_back(std::move(fixed));
      scan_.skip_blanks();
    } while (scan_.take(","));
    return true;
  }

  bool read_constant(Argument& argument) {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    argument.default_value = schema::parse_constant(scan_);
    argument.default_span = scan_.span_from(begin);
    if (argument.default_value) return true;
    fail(scan_.here(), fmt::format("expected a value for '{}'", argument.name));
    return false;
  }

  bool read_parameter(bool keyword_only) {
    const uint32_t begin = scan_.position();
    const std::string name(scan_.take_identifier());
    const Span span = scan_.span_from(begin);
    if (name.empty()) {
      fail(scan_.here(), "expected the name of a parameter");
      return false;
    }
    std::optional<NnParameter> parameter = find(name, span);
    if (!parameter) return false;
    parameter->face.keyword_only = keyword_only;
    parameter->face.span = parameter->face.name_span = span;
    scan_.skip_blanks();
    if (scan_.take("=") && !read_default(*parameter)) return false;
    for (const NnParameter& other : function_.parameters) {
      if (other.face.name != name) continue;
      fail(span, fmt::format("a second parameter named '{}'", name));
      return false;
    }
    function_.parameters.push_back(std::move(*parameter));
    return true;
  }

  // An argument, or one of the words.
  std::optional<NnParameter> find(const std::string& name, Span span) {
    Suggester suggester(name);
    for (size_t i = 0; i < op_.schema.arguments.size(); ++i) {
      NnParameter parameter = parameter_of(op_.schema, i);
      if (parameter.face.name == name) return parameter;
      suggester.offer(op_.schema.arguments[i].name == "self" ? "input"
                                                             : op_.schema.arguments[i].name);
    }
    for (const NnWord& word : kNnWords) {
      if (word.name == name) return word_parameter(word, span);
      suggester.offer(word.name);
    }
    report(span, fmt::format("'{}' is no argument of '{}', nor one of the words {}", name,
                             op_.name.full, words()))
        .suggest(suggester.best());
    return std::nullopt;
  }

  static std::string words() {
    std::string text;
    for (const NnWord& word : kNnWords) text += (text.empty() ? "" : ", ") + std::string(word.name);
    return text;
  }

  std::optional<NnParameter> word_parameter(const NnWord& word, Span span) {
    const bool old_word = word.role == NnRole::size_average || word.role == NnRole::reduce;
    if (word.role == NnRole::inplace && op_.forms->inplace == nullptr) {
      return fail(span, fmt::format("'{}' has no in-place form", op_.name.full));
    }
    if (word.role == NnRole::all_results && op_.schema.returns.size() < 2) {
      return fail(span, fmt::format("'{}' has no more than one result", op_.name.full));
    }
    if (old_word && std::ranges::none_of(op_.schema.arguments, is_reduction)) {
      return fail(span, fmt::format("no argument of '{}' is a reduction", op_.name.full));
    }
    return NnParameter{word.role, 0, flag(word.name, old_word)};
  }

  bool read_default(NnParameter& parameter) {
    Argument& face = parameter.face;
    const bool has_default = face.default_value.has_value();
    if (!read_constant(face)) return false;
    if (parameter.role != NnRole::argument) {
      fail(face.default_span,
           fmt::format("the default of '{}' is not written: it is always the same", face.name));
      return false;
    }
    // None stands for the default of the schema, if that has one.
    if (face.default_value->kind == Constant::Kind::none) face.type.optional |= has_default;
    return true;
  }

  void check() {
    Schema faces;
    faces.base_name = "nn.functional." + function_.name;
    for (const NnParameter& parameter : function_.parameters) {
      faces.arguments.push_back(parameter.face);
    }
    for (const NnFixed& fixed : function_.fixed) {
      faces.arguments.push_back(fixed.argument);
      faces.arguments.back().keyword_only = true;
    }
    const size_t before = sink_.error_count();
    check_parameters(faces, sink_);
    failed_ |= sink_.error_count() > before;
    for (size_t i = 0; i < op_.schema.arguments.size(); ++i) {
      const Argument& argument = op_.schema.arguments[i];
      const bool offered = std::ranges::any_of(function_.parameters, [&](const NnParameter& p) {
        return p.index == i && (p.role == NnRole::argument || p.role == NnRole::reduction);
      });
      const bool fixed = std::ranges::count(function_.fixed, i, &NnFixed::index) > 0;
      if (offered && fixed) {
        fail(text_.whole(),
             fmt::format("'{}' is a parameter, and has a fixed value", argument.name));
      }
      if (offered || fixed || argument.default_value) continue;
      fail(text_.whole(), fmt::format("'{}' is left out, and has no default", argument.name));
    }
  }

  const Operator& op_;
  const LocatedText text_;
  Scanner scan_;
  DiagnosticSink& sink_;
  NnFunction function_;
  bool failed_ = false;
};

}  // namespace

std::optional<NnFunction> read_nn_function(const Operator& op, const LocatedText& text,
                                           DiagnosticSink& sink) {
  return SignatureReader(op, text, sink).read();
}

std::string print(const NnFunction& function) {
  std::string text;
  for (const NnParameter& parameter : function.parameters) {
    const std::optional<Constant>& value = parameter.face.default_value;
    text += (text.empty() ? "" : ", ") + parameter.face.name;
    if (value) text += "=" + value->text;
  }
  return function.name + "(" + text + ")";
}

NnFunction plain_nn_function(const Operator& op, std::string name) {
  NnFunction function{.name = std::move(name), .is_schema = true};
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    function.parameters.push_back(parameter_of(op.schema, i));
    function.is_schema &= function.parameters.back().role == NnRole::argument;
  }
  return function;
}

}  // namespace opweave::codegen
