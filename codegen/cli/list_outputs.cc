// The table of outputs as JSON, one object on each line.
#include "codegen/cli/list_outputs.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "codegen/emit/output/output_table.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

Json words(std::string_view text) {
  Json list = Json::array();
  std::istringstream in{std::string(text)};
  for (std::string word; in >> word;) list.push_back(word);
  return list;
}

Json object(const OutputRow& row) {
  return {{"path", row.path},
          {"split", split_name(row.split)},
          {"registrar", registrar_name(row.registrar)},
          {"registers", row.registers},
          {"library", row.library},
          {"uses", words(row.uses)},
          {"parts", words(row.parts)},
          {"printed_by", words(row.printed_by)},
          {"holds", row.holds}};
}

}  // namespace

std::string outputs_list() {
  std::string text;
  for (const OutputRow& row : output_table())
    text += (text.empty() ? "" : ",\n") + ("  " + object(row).dump());
  return "[\n" + text + "\n]\n";
}

}  // namespace opweave::codegen
