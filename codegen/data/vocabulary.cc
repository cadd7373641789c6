// Rule functions, methods and dtypes.
#include "codegen/data/vocabulary.h"

#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/expr/formula_methods.h"
#include "codegen/rules/functions.h"
#include "dtypes/promotion.h"

namespace opweave::codegen::data {
namespace {

Json function_data(const RuleFunction& function) {
  Json data = {{"name", function.schema.full_name()},
               {"schema", function_schema_data(function.schema)},
               {"doc", function.doc}};
  add_flag(data, "of_data", !function.symbolic);
  add_flag(data, "of_shapes", !function.runtime);
  add_flag(data, "symmetric", function.symmetric);
  if (function.divisor >= 0) data["divisor"] = function.divisor;
  return data;
}

Json dtype_data(const DtypeInfo& dtype) {
  Json data = {{"name", dtype.name},
               {"category", word(kCategories, dtype.category)},
               {"bytes", dtype.bytes},
               {"computes_in", dtype_info(dtype.compute).name}};
  if (dtype.category == DtypeCategory::complex) data["parts"] = dtype_info(dtype.part).name;
  if (dtype.category != DtypeCategory::floating) return data;
  data["fraction_bits"] = dtype.fraction;
  data["smallest_exponent"] = dtype.exponent;
  data["largest"] = number_data(dtype.largest);
  return data;
}

// By the name of the other; a pair that does not promote is not there.
Json promotions_of(ScalarType a) {
  Json row = Json::object();
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto b = static_cast<ScalarType>(i);
    const Promoted found = promoted(a, b);
    if (found.unsupported.empty())
      row[std::string(dtype_name(b))] = std::string(dtype_name(found.type));
  }
  return row;
}

}  // namespace

Json rule_functions_data() { return list_of(rule_functions(), function_data); }

Json methods_data() {
  return list_of(metadata_methods(), [](const MetadataMethod& method) {
    return Json{{"name", method.name}, {"written", method.written}, {"doc", method.doc}};
  });
}

Json dtype_table_data() {
  Json promotions = Json::object(), groups = Json::object();
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    promotions[std::string(dtype_name(dtype))] = promotions_of(dtype);
  }
  for (const DtypeGroup& group : kDtypeGroups)
    groups[std::string(group.name)] = dtypes_data({group.dtypes});
  return {{"list", list_of(kDtypes, dtype_data)},
          {"groups", std::move(groups)},
          {"promotions", std::move(promotions)}};
}

}  // namespace opweave::codegen::data
