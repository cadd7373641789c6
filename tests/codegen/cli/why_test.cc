// What `gen --why` says about changed files.
#include "codegen/cli/why.h"

#include <doctest/doctest.h>

#include "codegen/files/files.h"
#include "tests/support/folder.h"

namespace opweave::codegen {
namespace {

TEST_CASE("why a file changes: the operators that it mentions, the parts that it depends on") {
  Folder folder;
  std::string error;
  const std::string before = "add schema=1 expr=1 doc=1\naddr schema=1 expr=1\nold schema=1\n";
  REQUIRE(write_files(folder.path.string(),
                      {{"opweave/entries.txt", before},
                       {"opweave/cpu/pointwise_01.cc", "add_expr\n1\naddr_expr 1\n"},
                       {"opweave/python/bindings_00.cc", "py_add doc 1\npy_old\n"},
                       {"opweave/ops/add.h", "struct add\n"},
                       {"opweave/register.cc", "version 1\n"}},
                      error));
  const std::string after = "add schema=1 expr=2 doc=2\naddr schema=1 expr=1\nneg schema=1\n";
  CHECK(explain_changes(folder.path.string(),
                        {{"opweave/entries.txt", after},
                         {"opweave/cpu/pointwise_01.cc", "add_expr\n2\naddr_expr 1\n"},
                         {"opweave/python/bindings_00.cc", "py_add doc 2\npy_neg\n"},
                         {"opweave/ops/add.h", "struct add\n"},
                         {"opweave/register.cc", "version 2\n"}}) ==
        "opweave/cpu/pointwise_01.cc              add (expr)\n"
        "opweave/python/bindings_00.cc            add (doc); neg (new); old (removed)\n"
        "opweave/register.cc                      the generator itself, or the order of entries\n"
        "3 of 5 files change; 3 of them are compiled\n");
}

}  // namespace
}  // namespace opweave::codegen
