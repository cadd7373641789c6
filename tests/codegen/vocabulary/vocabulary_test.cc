// What `opweave explain` says of words, and the tables of the documentation, which are made of the
// same. `OPWEAVE_UPDATE=1` in the environment writes the tables anew; run from the repository's
// root.
#include "codegen/vocabulary/vocabulary.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "codegen/rules/functions.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

// The table of a topic on a page: from its heads to the line that has no row.
struct PageTable {
  std::string page;
  std::string_view topic, first, second;
};
const PageTable kTables[] = {
    {"docs/yaml.md", "rules", "rule function", "what it gives"},
    {"docs/yaml.md", "methods", "question", "what it tells"},
    {"docs/targets.md", "target.yaml", "key of target.yaml", "what it says"},
};

void check_table(const PageTable& table) {
  const std::string wanted = markdown_table(*find_topic(table.topic), table.first, table.second);
  const std::string text = read_file(table.page);
  const std::string head = wanted.substr(0, wanted.find('\n') + 1);
  const size_t begin = text.find(head);
  REQUIRE(begin != std::string::npos);
  size_t end = begin;
  while (text.compare(end, 1, "|") == 0) end = text.find('\n', end) + 1;
  if (std::getenv("OPWEAVE_UPDATE") != nullptr) {
    std::ofstream(table.page, std::ios::binary)
        << text.substr(0, begin) + wanted + text.substr(end);
  } else {
    CHECK(text.substr(begin, end - begin) == wanted);
  }
}

TEST_CASE("pages of the documentation have the tables of words") {
  for (const PageTable& table : kTables) {
    CAPTURE(table.page);
    CAPTURE(std::string(table.topic));
    check_table(table);
  }
}

TEST_CASE("a word is explained by every topic that has it") {
  CHECK(explain_word("same").value() ==
        "same, of the topic 'rules' (the functions of `let`, `require` and `result`):\n"
        "  same(int[] a, int[] b) -> bool\n"
        "      Whether two lists are equal.\n"
        "  same.but(int[] a, int[] b, int but) -> bool\n"
        "      Whether two lists are equal but for the elements at one index.\n");
  const std::string min = explain_word("min").value();
  CHECK(min.find("of the topic 'expr'") != std::string::npos);
  CHECK(min.find("of the topic 'rules'") != std::string::npos);
  CHECK(explain_word("nothing_like_it") == std::nullopt);
}

TEST_CASE("a topic lists its words") {
  const std::string target = explain_word("target.yaml").value();
  CHECK(target.starts_with("target.yaml: the keys of the file of a target\n\n  name\n"));
  for (std::string_view word : {"rules", "dtypes", "kernels", "types", "errors", "methods"}) {
    CAPTURE(std::string(word));
    REQUIRE(find_topic(word) != nullptr);
    CHECK_FALSE(find_topic(word)->words.empty());
  }
  std::set<std::string_view> names;
  for (const WordTopic& topic : topics()) CHECK(names.insert(topic.name).second);
  CHECK(list_topics().find("rules") != std::string::npos);
}

TEST_CASE("every word says what it means") {
  for (const WordTopic& topic : topics()) {
    for (const TopicWord& word : topic.words) {
      CAPTURE(word.written);
      CHECK_FALSE(word.name.empty());
      CHECK_FALSE(word.written.empty());
      CHECK_FALSE(word.meaning.empty());
    }
  }
}

// The name in front of the first bracket of `floor_div(a + b - 1, b)`, `x.dim()`, `!same(a, b)`.
std::string called(std::string_view text) {
  const size_t end = text.find('(');
  if (end == std::string_view::npos) return "";
  const size_t begin = text.find_last_of(" .!", end) + 1;
  return std::string(text.substr(begin, end - begin));
}

TEST_CASE("what other languages write is told by functions that there are") {
  for (const WrittenElsewhere& known : written_elsewhere()) {
    const std::string name = called(known.here);
    CAPTURE(std::string(known.written));
    if (!name.empty()) CHECK(explain_word(name).has_value());
  }
}

}  // namespace
}  // namespace opweave::codegen
