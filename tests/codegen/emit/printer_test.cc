// Templates: variables that are text, and variables that print.
#include "codegen/emit/text/printer.h"

#include <doctest/doctest.h>

namespace opweave::codegen {

TEST_CASE("a variable that prints has the indentation of its line") {
  Printer p;
  const auto two = [&] { p.print({{"name", "a"}}, "$name$ = 1;\nif ($name$) {\n  b();\n}"); };
  p.indent();
  p.print({{"name", "f"}, {"body", two}}, "void $name$() {\n  $body$\n}");
  p.outdent();
  p.print("end");
  CHECK(p.text() ==
        "  void f() {\n"
        "    a = 1;\n"
        "    if (a) {\n"
        "      b();\n"
        "    }\n"
        "  }\n"
        "end\n");
}

TEST_CASE("one that prints nothing has no line") {
  Printer p;
  p.print({{"nothing", [] {}}, {"empty", ""}}, "{\n  $nothing$\n  $empty$\n}");
  CHECK(p.text() == "{\n}\n");
}

TEST_CASE("variables that print may be within one another") {
  Printer p;
  const auto inner = [&] { p.print("x;"); };
  const auto outer = [&] { p.print({{"inner", inner}}, "{\n  $inner$\n}"); };
  p.print({{"outer", outer}}, "{\n  $outer$\n}\n$$");
  CHECK(p.text() == "{\n  {\n    x;\n  }\n}\n$\n");
}

}  // namespace opweave::codegen
