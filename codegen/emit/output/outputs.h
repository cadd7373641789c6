// Where each operator is printed: the header of its base name, and its shard of
// every sharded output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/output/emit.h"
#include "codegen/emit/text/printer.h"

namespace opweave::codegen {

// The name that decides an operator's header and shard: the functional form's
// base name; of a generated backward operator, that of the operator whose
// gradient it computes.
const std::string& home_name(const Operator& op);
// Sharded outputs split the operators by a hash of their base name, so that an
// operator stays in its shard whatever else is added or removed.
int shard_of(const Operator& op, int shards);
int shard_of_name(std::string_view name, int shards);
// "opweave/ops/add.h"
std::string operator_header(const Operator& op);
// "_07"
std::string shard_suffix(int shard);

// All operators to emit (imported ones left out), in the order of the table,
// per shard.
std::vector<std::vector<const Operator*>> operators_by_shard(const Model& model, int shards);

// "#include" lines for the headers of these operators and `extra`, sorted,
// without repeats.
std::string include_lines(std::vector<std::string> headers);

// The first lines of every generated file.
void print_banner(Printer& printer, std::string_view what);

}  // namespace opweave::codegen
