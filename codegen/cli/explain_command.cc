// `opweave explain`: codes of diagnostics, topics and their words.
#include "codegen/cli/explain_command.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/cli/report.h"
#include "codegen/diagnostics/suggest.h"
#include "codegen/explain/explain.h"
#include "codegen/vocabulary/vocabulary.h"

namespace opweave::codegen {
namespace {

// A code, a topic or a word; nothing if it is none.
std::optional<std::string> explained(const std::string& name) {
  if (const std::optional<Code> code = code_from_name(name)) return explain(*code);
  return explain_word(name);
}

// The nearest of all that can be explained.
std::string nearest(const std::string& name) {
  Suggester suggester(name);
  for (std::string_view word : explained_words()) suggester.offer(word);
  for (Code code : all_codes()) suggester.offer(code_name(code));
  return suggester.best();
}

}  // namespace

int explain_codes(const CommandLine& line) {
  if (line.files.empty()) {
    std::fputs(explain_all().c_str(), stdout);
    std::fputs(("\nopweave explain TOPIC, or a word of one:\n" + list_topics()).c_str(), stdout);
  }
  int status = 0;
  for (const std::string& name : line.files) {
    if (const std::optional<std::string> text = explained(name)) {
      if (&name != &line.files.front()) std::fputs("\n", stdout);
      std::fputs(text->c_str(), stdout);
      continue;
    }
    const std::string near = nearest(name);
    status =
        fail("there is no code, topic or word '" + name + "'" +
             (near.empty() ? "; 'opweave explain' lists all" : "; did you mean '" + near + "'?"));
  }
  return status;
}

}  // namespace opweave::codegen
