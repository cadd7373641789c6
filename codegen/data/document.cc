// The document, line by line.
#include "codegen/data/document.h"

#include "codegen/data/operators.h"
#include "codegen/data/python.h"
#include "codegen/data/vocabulary.h"

namespace opweave::codegen {
namespace {

using data::Json;

// `  "name": [` and a line for each item.
std::string lines(const char* name, const Json& items) {
  std::string text = std::string(",\n  \"") + name + "\": [";
  const char* before = "\n    ";
  for (const Json& item : items) {
    text += before + item.dump();
    before = ",\n    ";
  }
  return text + "\n  ]";
}

Json objects_data(const Model& model) {
  return data::list_of(model.objects(), [](const ObjectDeclaration& object) {
    Json data = {{"name", object.name}};
    if (!object.python.empty()) data["python"] = object.python;
    if (!object.doc.empty()) data["doc"] = object.doc;
    return data;
  });
}

Json operators_data(const Model& model) {
  Json list = Json::array();
  for (const Operator* op : model.operators().all()) {
    if (!op->selected->left_out) list.push_back(data::operator_data(*op));
  }
  return list;
}

}  // namespace

std::string model_document(const Model& model) {
  std::string text = "{\n  \"opweave_model\": " + std::to_string(kModelVersion);
  text += ",\n  \"dtypes\": " + data::dtype_table_data().dump();
  text += lines("intrinsics", data::intrinsics_data(model));
  text += lines("rule_functions", data::rule_functions_data());
  text += lines("methods", data::methods_data());
  text += lines("objects", objects_data(model));
  text += lines("operators", operators_data(model));
  const Json python = data::python_data(model);
  for (const auto& [part, callables] : python.items())
    text += lines(("python_" + part).c_str(), callables);
  return text + "\n}\n";
}

}  // namespace opweave::codegen
