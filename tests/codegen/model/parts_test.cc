// Parts of operators: given once, read from then on; and what derived forms take from the
// functional one.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <type_traits>

#include "codegen/model/declarations/part.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

struct Colour {
  int red = 0;
};

// Whether `act` ends the process that it runs in, by its own will.
template <class Act>
bool aborts(Act act) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST_CASE("a part is what was given") {
  Part<Colour> part;
  part.give({7});
  CHECK(part->red == 7);
  CHECK((*part).red == 7);
  const Colour shared{8};
  Part<const Colour*> reference, none;
  reference.give(&shared);
  none.give(nullptr);
  CHECK(reference->red == 8);
  CHECK(reference == &shared);
  CHECK(none == nullptr);
}

TEST_CASE("a part that is read before it is given, or given twice, ends the program") {
  Part<Colour> part;
  CHECK(aborts([&] { (void)part->red; }));
  part.give({1});
  CHECK_FALSE(aborts([&] { (void)part->red; }));
  CHECK(aborts([&] { part.give({2}); }));
  Part<const Colour*> reference;
  CHECK(aborts([&] { (void)(reference == nullptr); }));
  reference.give(nullptr);
  CHECK(aborts([&] { reference.give(nullptr); }));
}

TEST_CASE("nobody writes to an operator of a model") {
  using Found = decltype(*std::declval<const OperatorTable&>().find(""));
  static_assert(std::is_same_v<Found, const Operator&>);
  static_assert(std::is_const_v<std::remove_reference_t<decltype(*std::declval<Found>().face)>>);
  static_assert(!std::is_copy_constructible_v<Operator>);
}

const std::string kTwice =
    "- func: twice(Tensor self) -> Tensor\n"
    "  variants: method\n"
    "  python_name: double_it\n"
    "  expr: self * 2\n"
    "  dtypes: floating\n"
    "  batching: same\n"
    "  autocast: fp32\n"
    "  reference: {numpy: self * 2}\n"
    "  samples: {self: positive}\n";

TEST_CASE("derived forms have the parts of the functional form, but for what is its own") {
  const Loaded loaded(kTwice);
  const Operator& functional = loaded.op("twice");
  const Operator& inplace = loaded.op("twice_");
  const Operator& out = loaded.op("twice.out");
  for (const Operator* form : {&inplace, &out}) {
    CHECK(form->forms->functional == &functional);
    CHECK(form->origin.span == functional.origin.span);
    CHECK(form->elements->expr == functional.elements->expr);
    CHECK(form->elements->arguments.size() == form->schema.arguments.size());
    CHECK(form->dtypes->computed == functional.dtypes->computed);
    CHECK(form->gradient->derivative == functional.gradient->derivative);
    CHECK(form->policies->batching == Batching::same);
    CHECK_FALSE(form->policies->autocast.any());
    CHECK(form->tests->argument_samples.size() == 1);
    CHECK(form->tests->numpy_reference.empty());
  }
  CHECK(functional.tests->numpy_reference == "self * 2");
  CHECK(functional.forms->inplace == &inplace);
  CHECK(functional.forms->out == &out);
  CHECK(inplace.face->python_name == "double_it_");
  CHECK(inplace.face->method);
  CHECK(out.face->python_name == "double_it");
  CHECK(out.face->function);
  CHECK_FALSE(out.face->method);
}

}  // namespace
}  // namespace opweave::codegen
