// Records of operators that are defined at run time, and what defaults mean: from schemas, by the
// parser that the generator uses.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/dispatch/ivalue.h"
#include "runtime/dispatch/operator_record.h"
#include "schema/constant.h"

namespace opweave {

// What the generator would print for a schema, except for what no schema says: tags, roles, forms.
class RuntimeRecord {
 public:
  // RuntimeError with what is wrong and where.
  explicit RuntimeRecord(std::string_view schema);
  RuntimeRecord(const RuntimeRecord&) = delete;

  std::string_view name() const { return name_; }          // "mine::f"
  std::string_view overload() const { return overload_; }  // may be empty
  std::string_view schema() const { return schema_; }      // in its canonical spelling
  OperatorRecord record() const { return {.arguments = arguments_, .returns = returns_}; }

 private:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  TypeRecord type_record(const schema::Type& type);

  std::deque<std::string> texts_;
  std::string_view name_, overload_, schema_;
  std::vector<ArgumentRecord> arguments_;
  std::vector<ReturnRecord> returns_;
};

// As schemas write it, without the alias: `int[2]?`.
std::string type_text(const TypeRecord& type);
// The default of an argument that has one.
schema::Constant constant_of(const ArgumentRecord& argument);
// The value of an argument that a call leaves out; None for one without a default.
IValue default_of(const ArgumentRecord& argument);

}  // namespace opweave
