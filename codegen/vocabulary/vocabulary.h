// The words of the YAML files, told from the tables that the checker goes by: `opweave explain
// rules`, `opweave explain same`, and the tables in the documentation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::codegen {

// One word: how it is written, and what it means.
struct TopicWord {
  std::string name;  // by which it is asked for: `same`
  std::string written;
  std::string meaning;  // in Markdown
};

// Words of one kind.
struct WordTopic {
  std::string_view name;   // `rules`
  std::string_view title;  // in one line
  std::vector<TopicWord> words;
};

// In the order of help.
const std::vector<WordTopic>& topics();

// What a topic or a word is about, a word in every topic that has it; nothing if it is neither.
std::optional<std::string> explain_word(std::string_view word);
// A line for each topic.
std::string list_topics();
// All topics and words, for suggestions.
std::vector<std::string_view> explained_words();
// A topic as a table for a page of the documentation, with these heads of its columns.
std::string markdown_table(const WordTopic& topic, std::string_view first, std::string_view second);
// The topic of that name; null if there is none.
const WordTopic* find_topic(std::string_view name);

}  // namespace opweave::codegen
