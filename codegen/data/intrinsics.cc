// The functions of expressions.
#include "codegen/expr/intrinsics.h"

#include <string>

#include "codegen/data/elements.h"
#include "codegen/data/meanings.h"
#include "codegen/data/vocabulary.h"
#include "codegen/data/words.h"

namespace opweave::codegen::data {
namespace {

// As expressions write it.
void add_spelling(Json& data, const Intrinsic& intrinsic) {
  if (!intrinsic.name.empty()) data["function"] = intrinsic.name;
  if (!intrinsic.symbol.empty()) data["symbol"] = intrinsic.symbol;
}

// Of an operand without one nothing is said: null, behind which there may be another.
Json derivatives_data(const Intrinsic& intrinsic, ElementArena& arena) {
  Json list = Json::array();
  for (size_t i = 0; i < intrinsic.arity; ++i) {
    const ElementNode* tree = tree_of(intrinsic.derivatives[i], arena);
    list.push_back(tree == nullptr ? Json(nullptr) : elements_data(*tree));
  }
  return list;
}

void add_operator(Json& data, const Intrinsic& intrinsic, const Model& model) {
  const IntrinsicOperator same = operator_of(intrinsic);
  if (model.operators().family(same.name) == nullptr) return;
  data["operator"] = same.name;
  if (!same.first.empty()) data["operator_first"] = std::stod(std::string(same.first));
}

void add_meaning(Json& data, const Intrinsic& intrinsic, ElementArena& arena) {
  const Meaning& meaning = meaning_of(intrinsic);
  data["precision"] = meaning.precision;
  if (!meaning.floats.empty()) data["floats"] = meaning.floats;
  if (!meaning.whole.empty()) data["whole"] = meaning.whole;
  if (const ElementNode* tree = definition_of(intrinsic, arena))
    data["definition"] = elements_data(*tree);
  data["smooth"] = word(kIntrinsicDomains, intrinsic.domain);
  data["finite"] = word(kIntrinsicFinite, intrinsic.finite);
}

Json intrinsic_data(const Intrinsic& intrinsic, ElementArena& arena, const Model& model) {
  Json data = {{"op", element_op_name(intrinsic.op)}};
  add_spelling(data, intrinsic);
  data["arity"] = intrinsic.arity;
  data["kind"] = meaning_of(intrinsic).kind;
  data["operands"] = word(kElementTypes, intrinsic.operand);
  data["result"] = word(kElementTypes, intrinsic.result);
  add_flag(data, "needs_float", intrinsic.needs_float);
  add_operator(data, intrinsic, model);
  add_meaning(data, intrinsic, arena);
  data["derivatives"] = derivatives_data(intrinsic, arena);
  return data;
}

}  // namespace

Json intrinsics_data(const Model& model) {
  ElementArena arena;
  return list_of(intrinsics(), [&](const Intrinsic& i) { return intrinsic_data(i, arena, model); });
}

}  // namespace opweave::codegen::data
