// The tables that the generator prints are those that the runtime reads from the same schemas.
#include <doctest/doctest.h>

#include "kernels/initialize/initialize.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"

namespace opweave::test {
namespace {

// Schemas say nothing of roles, nor of numbers for tensors.
ArgumentRecord of_schema(ArgumentRecord argument) {
  argument.role = ArgRole::kPlain;
  argument.number = false;
  return argument;
}

TEST_CASE("every operator's record says what its schema says") {
  initialize();
  CHECK(all_operators().size() > 1000);
  for (const OperatorEntry* op : all_operators()) {
    INFO(op->def().schema);
    const RuntimeRecord parsed(op->def().schema);
    const OperatorRecord expected = parsed.record(), &printed = op->record();
    CHECK(parsed.schema() == op->def().schema);
    REQUIRE(printed.arguments.size() == expected.arguments.size());
    for (size_t i = 0; i < printed.arguments.size(); ++i) {
      CHECK(of_schema(printed.arguments[i]) == expected.arguments[i]);
    }
    CHECK(std::ranges::equal(printed.returns, expected.returns));
  }
}

TEST_CASE("the forms of a computation know each other, and roles and tags are there") {
  initialize();
  const OperatorEntry* add = find_operator("add.Tensor");
  const OperatorEntry* add_ = find_operator("add_.Tensor");
  REQUIRE(add != nullptr);
  CHECK(add->record().inplace == add_);
  CHECK(add->record().out == find_operator("add.Tensor_out"));
  CHECK(add_->record().functional == add);
  CHECK(add_->record().form == OperatorForm::kInplace);
  CHECK(add_->record().written() == 0);
  const OperatorRecord& softmax = find_operator("softmax.int")->record();
  CHECK(softmax.arguments[1].role == ArgRole::kDim);
  CHECK(find_operator("bernoulli")->record().has_tag("random"));
  CHECK(find_operator("dropout")->record().argument_with(ArgRole::kTraining) == 2);
}

}  // namespace
}  // namespace opweave::test
