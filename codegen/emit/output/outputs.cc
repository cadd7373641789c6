// Names and shards of outputs.
#include "codegen/emit/output/outputs.h"

#include <algorithm>
#include <cstdint>

namespace opweave::codegen {

const std::string& home_name(const Operator& op) {
  if (op.origin.gradient_of != nullptr) return home_name(*op.origin.gradient_of);
  return op.forms->functional != nullptr ? op.forms->functional->name.base : op.name.base;
}

int shard_of(const Operator& op, int shards) { return shard_of_name(home_name(op), shards); }

int shard_of_name(std::string_view name, int shards) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (unsigned char c : name) hash = (hash ^ c) * 16777619u;
  return static_cast<int>((hash ^ (hash >> 16)) % static_cast<uint32_t>(shards));
}

std::string operator_header(const Operator& op) { return "opweave/ops/" + home_name(op) + ".h"; }

std::string shard_suffix(int shard) {
  return std::string("_") + static_cast<char>('0' + shard / 10) +
         static_cast<char>('0' + shard % 10);
}

std::vector<std::vector<const Operator*>> operators_by_shard(const Model& model, int count) {
  std::vector<std::vector<const Operator*>> shards(count);
  for (const Operator* op : model.operators().all()) {
    if (op->is_emitted()) shards[shard_of(*op, count)].push_back(op);
  }
  return shards;
}

std::string include_lines(std::vector<std::string> headers) {
  std::sort(headers.begin(), headers.end());
  headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
  std::string text;
  for (const std::string& header : headers) text += "#include \"" + header + "\"\n";
  return text;
}

void print_banner(Printer& printer, std::string_view what) {
  printer.print({{"what", what}},
                "// $what$\n// Generated from ops.yaml and derivatives.yaml. Do not edit.");
}

}  // namespace opweave::codegen
