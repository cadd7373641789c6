// Comparing operators by full name.
#include "codegen/compare/changes.h"

#include <algorithm>
#include <map>

#include "codegen/compare/face.h"
#include "codegen/emit/entries/entries.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/entries/python_operators.h"
#include "codegen/model/operators/nn_signature.h"

namespace opweave::codegen {
namespace {

constexpr uint8_t kCallers = Audience::python | Audience::cpp;
constexpr uint8_t kPrograms = kCallers | static_cast<uint8_t>(Audience::saved);

class Comparison {
 public:
  Comparison(const Operator& before, const Operator& after) : was_(before), is_(after) {}

  std::vector<Change> run() {
    compare_arguments(was_, is_, changes_);
    compare_returns();
    compare_names();
    compare_behaviour();
    if (is_.face->internal && was_.face->internal) only_libraries_care();
    if (changes_.empty() && inside(was_) != inside(is_)) {
      add("computes in another way", kNobody);
      changes_.back().internal = true;
    }
    return std::move(changes_);
  }

 private:
  void add(std::string what, uint8_t breaks) {
    changes_.push_back({Change::Kind::changed, is_.name.full, std::move(what), breaks});
  }

  // Nobody calls `_conv_gradient` by name but code that is compiled against it.
  void only_libraries_care() {
    for (Change& change : changes_) change.breaks &= static_cast<uint8_t>(Audience::libraries);
  }

  static std::vector<std::string> result_names(const Operator& op) {
    std::vector<std::string> names;
    for (const Return& r : op.schema.returns) names.push_back(r.name);
    return names;
  }

  void compare_returns() {
    if (result_type(was_) != result_type(is_))
      return add("returned " + result_type(was_) + " and returns " + result_type(is_), kEverybody);
    if (result_names(was_) != result_names(is_))
      add("its results changed their names", static_cast<uint8_t>(Audience::python));
    if (was_.is_view() != is_.is_view())
      add(is_.is_view() ? "its result is now a view" : "its result is no longer a view", kPrograms);
  }

  void compare_names() {
    constexpr auto python = static_cast<uint8_t>(Audience::python);
    if (was_.face->python_name != is_.face->python_name ||
        was_.face->python_module != is_.face->python_module) {
      add("in Python was " + python_path(was_) + " and is " + python_path(is_), python);
    } else {
      compare_nn_functions();
    }
    compare_python_operators();
    compare_variant("function", was_.face->function, is_.face->function);
    compare_variant("method", was_.face->method, is_.face->method);
    if (!was_.face->internal && is_.face->internal) add("became internal", kCallers);
    if (was_.face->internal && !is_.face->internal) add("became public", kNobody);
  }

  void compare_nn_functions() {
    const std::string was = nn_path(was_), is = nn_path(is_);
    if (was != is && was.empty()) add("became nn.functional." + is, kNobody);
    if (was == is || was.empty()) return;
    add("was nn.functional." + was + " and is " + (is.empty() ? "none" : "nn.functional." + is),
        static_cast<uint8_t>(Audience::python));
  }

  void compare_python_operators() {
    const PythonOperator *was = was_.face->python_operator, *is = is_.face->python_operator;
    if (was == is) return;
    if (was != nullptr)
      add("is no longer " + std::string(was->name) + " in Python",
          static_cast<uint8_t>(Audience::python));
    if (is != nullptr) add("became " + std::string(is->name) + " in Python", kNobody);
  }

  static std::string nn_path(const Operator& op) {
    return op.face->nn_function ? print(*op.face->nn_function) : "";
  }

  void compare_variant(const std::string& variant, bool was, bool is) {
    if (was && !is) add("is no longer a " + variant, kCallers);
    if (!was && is) add("became a " + variant, kNobody);
  }

  // Of what nothing finer is said: that it changed.
  bool differs(std::string_view part) const {
    return entry_part(was_, part) != entry_part(is_, part);
  }

  void compare_numbers() {
    auto has = [](const Operator& op, const std::string& name) {
      return std::ranges::any_of(op.face->numbers,
                                 [&](uint16_t i) { return op.schema.arguments[i].name == name; });
    };
    for (const Argument& argument : is_.schema.arguments) {
      const bool had = has(was_, argument.name), now = has(is_, argument.name);
      if (had && !now)
        add("no longer takes a number for '" + argument.name + "' in Python",
            static_cast<uint8_t>(Audience::python));
      if (!had && now) add("takes a number for '" + argument.name + "' in Python", kNobody);
    }
  }

  void compare_suits() {
    auto has = [](const Operator& op, const std::string& name) {
      for (size_t i = 0; i < op.elements->arguments.size(); ++i) {
        if (op.schema.arguments[i].name == name) return op.elements->arguments[i].suits;
      }
      return false;
    };
    for (const Argument& argument : is_.schema.arguments) {
      const bool had = has(was_, argument.name), now = has(is_, argument.name);
      if (!had && now) add("'" + argument.name + "' has to suit the dtype", kPrograms);
      if (had && !now) add("'" + argument.name + "' need not suit the dtype any more", kNobody);
    }
  }

  void compare_exact() {
    const auto exact = [](const Operator& op) {
      std::vector<bool> each;
      for (const ElementArgument& argument : op.elements->arguments) each.push_back(argument.exact);
      return each;
    };
    if (exact(was_) != exact(is_)) add("rounds other numbers beside 16 bits", kNobody);
  }

  void compare_behaviour() {
    compare_numbers();
    compare_suits();
    compare_exact();
    if (differs("rule")) add("requires something else, or its results look otherwise", kPrograms);
    if (differs("tags")) add("its tags changed", kNobody);
    if (!is_.selected->dtypes.contains_all(was_.selected->dtypes)) {
      add("no longer takes " + dtype_names(was_.selected->dtypes.bits & ~is_.selected->dtypes.bits),
          kPrograms);
    }
    if (!was_.selected->dtypes.contains_all(is_.selected->dtypes)) {
      add("now takes " + dtype_names(is_.selected->dtypes.bits & ~was_.selected->dtypes.bits),
          kNobody);
    }
    const bool same = was_.elements->promotion.compute == is_.elements->promotion.compute &&
                      was_.elements->promotion.result == is_.elements->promotion.result;
    if (!same) add("the type of its result follows another rule", kPrograms);
    if (was_.dtypes->of_out != is_.dtypes->of_out) add("'out' may have other dtypes", kPrograms);
    const bool had = was_.gradient->differentiability != Differentiability::none;
    const bool has = is_.gradient->differentiability != Differentiability::none;
    if (had && !has) add("has no gradient any more", kPrograms);
    if (!had && has) add("has a gradient now", kNobody);
  }

  const Operator& was_;
  const Operator& is_;
  std::vector<Change> changes_;
};

using ByName = std::map<std::string_view, const Operator*>;

// Generated backward operators belong to the operator that they differentiate.
ByName declared(const Model& model) {
  ByName ops;
  for (const Operator* op : model.operators().all()) {
    if (!op->origin.imported && !op->is_generated()) ops.emplace(op->name.full, op);
  }
  return ops;
}

Change whole(Change::Kind kind, const Operator& op) {
  const uint8_t callers =
      op.face->internal ? static_cast<uint8_t>(Audience::libraries) : kEverybody;
  return {kind, op.name.full, "", kind == Change::Kind::removed ? callers : kNobody,
          op.face->internal};
}

using ChangesByName = std::map<std::string_view, std::vector<Change>>;

// What holds for all forms of an operator is said once.
bool said_of_functional(const Change& change, const Operator& op, const ChangesByName& by_name) {
  if (op.forms->functional == nullptr || op.forms->functional == &op) return false;
  const auto found = by_name.find(op.forms->functional->name.full);
  if (found == by_name.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Change& other) {
    return other.kind == change.kind && other.what == change.what && other.breaks == change.breaks;
  });
}

}  // namespace

std::vector<Change> compare(const Model& before, const Model& after) {
  const ByName was = declared(before), is = declared(after);
  ChangesByName by_name;
  for (const auto& [name, op] : was) {
    const auto found = is.find(name);
    if (found == is.end()) {
      by_name[name].push_back(whole(Change::Kind::removed, *op));
    } else {
      by_name[name] = Comparison(*op, *found->second).run();
    }
  }
  for (const auto& [name, op] : is) {
    if (!was.contains(name)) by_name[name].push_back(whole(Change::Kind::added, *op));
  }
  std::vector<Change> changes;
  for (const auto& [name, of_one] : by_name) {
    const Operator& op = is.contains(name) ? *is.at(name) : *was.at(name);
    for (const Change& change : of_one) {
      if (!said_of_functional(change, op, by_name)) changes.push_back(change);
    }
  }
  return changes;
}

Version verdict(const std::vector<Change>& changes) {
  Version version = Version::same;
  for (const Change& change : changes) {
    const Version needed = change.breaks != 0 ? Version::major
                           : change.internal  ? Version::patch
                                              : Version::minor;
    version = std::max(version, needed);
  }
  return version;
}

}  // namespace opweave::codegen
