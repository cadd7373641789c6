// The table of names, and who may not have one of them.
#include "codegen/model/operators/python_names.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "codegen/syntax/named_values.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

struct PythonName {
  std::string_view scope, name, meaning;
};

constexpr PythonName kPythonNames[] = {
#define OPWEAVE_PYTHON_NAME(scope, name, meaning) {scope, name, meaning},
#include "codegen/model/operators/python_names.def"
#undef OPWEAVE_PYTHON_NAME
};

bool is_public(const Operator& op) { return !op.face->internal && op.forms->form != Form::out; }

// Where Python finds an operator, each with the name that it has there.
std::vector<std::pair<std::string_view, std::string>> python_places(const Operator& op) {
  std::vector<std::pair<std::string_view, std::string>> places;
  if (!is_public(op)) return places;
  if (op.face->function && op.face->python_module.empty())
    places.emplace_back(kPackageScope, op.face->python_name);
  if (op.face->method) places.emplace_back(kMethodScope, op.face->python_name);
  if (op.face->nn_function) places.emplace_back(kNnScope, op.face->nn_function->name);
  return places;
}

class PythonNameChecker {
 public:
  explicit PythonNameChecker(DiagnosticSink& sink) : sink_(sink) {}

  void check(const std::vector<Draft>& drafts) {
    for (const Draft& draft : drafts) {
      if (draft.op->origin.imported) remember(*draft.op);
    }
    for (const Draft& draft : drafts) {
      if (!draft.op->origin.imported) check(*draft.op);
    }
  }

 private:
  void remember(const Operator& op) {
    for (const auto& place : python_places(op)) imported_.emplace(place, &op);
  }

  void check(const Operator& op) {
    for (const auto& place : python_places(op)) {
      const auto& [scope, name] = place;
      if (const std::string_view meaning = python_meaning(scope, name); !meaning.empty()) {
        sink_.error(Code::names_collide, op.schema.name_span, taken(op, scope, name, meaning))
            .note({}, "give the operator another name, or one in Python by 'python_name'");
        return;
      }
      if (const auto other = imported_.find(place); other != imported_.end()) {
        sink_
            .error(Code::names_collide, op.schema.name_span,
                   taken(op, scope, name, "an operator of another library"))
            .note(other->second->schema.name_span, "it is declared here");
        return;
      }
    }
  }

  static std::string taken(const Operator& op, std::string_view scope, std::string_view name,
                           std::string_view meaning) {
    return fmt::format("'{}' would replace {}.{} in Python, which is {}", op.name.full, scope, name,
                       meaning);
  }

  DiagnosticSink& sink_;
  std::map<std::pair<std::string_view, std::string>, const Operator*> imported_;
};

}  // namespace

std::string_view python_meaning(std::string_view scope, std::string_view name) {
  const NamedValue* dtype = scope == kPackageScope ? find_named_value(name) : nullptr;
  if (dtype != nullptr && dtype->type == BaseType::scalar_type) return "a dtype";
  for (const PythonName& known : kPythonNames) {
    if (known.name == name && known.scope == scope) return known.meaning;
  }
  return {};
}

// `opweave.NAME` is the target's module, `tensor.is_NAME` asks for it: what stands in their place,
// and is not of a target that Python knows by name.
static std::string taken_by(std::string_view name) {
  if (schema::is_python_keyword(name)) return fmt::format("'{}' is a keyword of Python", name);
  const std::string question = fmt::format("is_{}", name);
  const std::string_view module = python_meaning(kPackageScope, name);
  const std::string_view asked = python_meaning(kMethodScope, question);
  const bool known = module == "a module" && asked == "an attribute of tensors";
  if (!module.empty() && !known)
    return fmt::format("{}.{} in Python is {}", kPackageScope, name, module);
  if (asked == "a method" || asked == "a state of tensors")
    return fmt::format("Tensor.{} in Python is {}", question, asked);
  return "";
}

void check_target_name(const LocatedText& name, DiagnosticSink& sink) {
  const std::string why = taken_by(name.text);
  if (why.empty()) return;
  sink.error(Code::names_collide, name.whole(),
             fmt::format("'{}' cannot be the name of a target: {}", name.text, why));
}

void check_python_names(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  PythonNameChecker(sink).check(drafts);
}

}  // namespace opweave::codegen
