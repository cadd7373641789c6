// Schema strings in files: places and diagnostics for what schema/ reads.
#include "codegen/syntax/schema.h"

#include "codegen/diagnostics/suggest.h"
#include "codegen/diagnostics/utf8.h"
#include "schema/object_types.h"

namespace opweave::codegen {
namespace {

class Locator {
 public:
  explicit Locator(const LocatedText& text) : text_(text) {}

  Span operator()(schema::Range range) const { return text_.span(range.begin, range.end); }

  Schema locate(schema::Schema tree) const {
    Schema located;
    located.base_name = std::move(tree.base_name);
    located.overload_name = std::move(tree.overload_name);
    for (schema::Argument& argument : tree.arguments) {
      located.arguments.push_back(locate(std::move(argument)));
    }
    for (schema::Return& result : tree.returns) {
      const Span name = result.name.empty() ? Span() : (*this)(result.name_range);
      const Span span = (*this)(result.range);
      located.returns.push_back({std::move(result), span, name});
    }
    located.returns_parenthesised = tree.returns_parenthesised;
    located.span = text_.whole();
    located.name_span = (*this)(tree.name_range);
    return located;
  }

 private:
  Argument locate(schema::Argument argument) const {
    Argument located{std::move(argument), {}, {}, {}, {}};
    located.span = (*this)(located.range);
    located.type_span = (*this)(located.type_range);
    located.name_span = (*this)(located.name_range);
    if (located.default_value) located.default_span = (*this)(located.default_range);
    return located;
  }

  const LocatedText& text_;
};

Code code_of(schema::Problem::Kind kind) {
  switch (kind) {
    case schema::Problem::Kind::unknown_type:
      return Code::unknown_type;
    case schema::Problem::Kind::duplicate_argument:
      return Code::duplicate_argument;
    case schema::Problem::Kind::not_canonical:
      return Code::schema_not_canonical;
    case schema::Problem::Kind::syntax:
      break;
  }
  return Code::schema_syntax;
}

// Where texts begin to differ: the whole character there.
schema::Range whole_character(std::string_view text, schema::Range at) {
  const size_t begin = character_start(text, std::min<size_t>(at.begin, text.size()));
  const size_t size = begin < text.size() ? first_character(text.substr(begin)).bytes : 0;
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)};
}

// Types of C++, Python and NumPy, which schemas call otherwise.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"double", "float"},        {"float32", "float"}, {"float64", "float"},
    {"real", "float"},          {"long", "int"},      {"int64_t", "int"},
    {"int64", "int"},           {"integer", "int"},   {"size_t", "int"},
    {"string", "str"},          {"char", "str"},      {"boolean", "bool"},
    {"number", "Scalar"},       {"Number", "Scalar"}, {"dtype", "ScalarType"},
    {"TensorList", "Tensor[]"}, {"IntList", "int[]"}, {"IntArrayRef", "int[]"},
    {"ndarray", "Tensor"},      {"array", "Tensor"},  {"object", "Scalar"}};

std::string type_meant_by(std::string_view unknown) {
  for (const auto& [name, type] : kOtherNames) {
    if (name == unknown) return std::string(type);
  }
  return closest(unknown, schema_type_names());
}

void report(const schema::Problem& problem, const LocatedText& text, DiagnosticSink& sink) {
  const Locator span(text);
  const bool canonical = problem.kind == schema::Problem::Kind::not_canonical;
  auto& diagnostic = sink.error(
      code_of(problem.kind),
      span(canonical ? whole_character(text.text, problem.range) : problem.range), problem.message);
  if (!problem.unknown.empty()) diagnostic.suggest(type_meant_by(problem.unknown));
  if (problem.note.empty()) return;
  const bool somewhere = problem.note_range.end > problem.note_range.begin;
  diagnostic.note(somewhere ? span(problem.note_range) : Span(), problem.note);
}

}  // namespace

std::string Schema::full_name() const {
  return overload_name.empty() ? base_name : base_name + "." + overload_name;
}

int Schema::find_argument(std::string_view name) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::optional<Schema> parse_schema(const LocatedText& text, DiagnosticSink& sink) {
  auto parsed = schema::parse_schema(text.text, {.canonical = true});
  if (const auto* problem = std::get_if<schema::Problem>(&parsed)) {
    report(*problem, text, sink);
    return {};
  }
  return Locator(text).locate(std::get<schema::Schema>(std::move(parsed)));
}

std::string print(const Argument& argument) { return schema::print_argument(argument); }

std::string print(const Schema& schema) { return schema::print_schema(schema); }

std::vector<std::string_view> schema_type_names() {
  std::vector<std::string_view> names = schema::base_type_names();
  for (std::string_view name : schema::object_type_names()) names.push_back(name);
  return names;
}

}  // namespace opweave::codegen
