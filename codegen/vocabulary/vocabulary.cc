// Words looked up, and printed for terminals and pages.
#include "codegen/vocabulary/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/vocabulary/tables.h"

namespace opweave::codegen {
namespace {

constexpr size_t kWidth = 100;

// In lines, each behind `indent` blanks.
std::string wrapped(std::string_view text, size_t indent) {
  std::string out, line;
  const std::string margin(indent, ' ');
  const auto flush = [&] {
    if (!line.empty()) out += margin + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) flush();
    if (!word.empty()) line += (line.empty() ? "" : " ") + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  flush();
  return out;
}

std::string word_text(const TopicWord& word) {
  return fmt::format("  {}\n{}", word.written, wrapped(word.meaning, 6));
}

std::string topic_text(const WordTopic& topic) {
  std::string text = fmt::format("{}: {}\n\n", topic.name, topic.title);
  for (const TopicWord& word : topic.words) text += word_text(word);
  return text;
}

std::string words_called(std::string_view name) {
  std::string text;
  for (const WordTopic& topic : topics()) {
    std::string found;
    for (const TopicWord& word : topic.words) {
      if (word.name == name) found += word_text(word);
    }
    if (found.empty()) continue;
    text += fmt::format("{}{}, of the topic '{}' ({}):\n{}", text.empty() ? "" : "\n", name,
                        topic.name, topic.title, found);
  }
  return text;
}

// `|` begins another column.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

const std::vector<WordTopic>& topics() {
  static const std::vector<WordTopic> all = [] {
    std::vector<WordTopic> made = file_topics();
    for (WordTopic& topic : language_topics()) made.push_back(std::move(topic));
    return made;
  }();
  return all;
}

const WordTopic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(topics(), name, &WordTopic::name);
  return found == topics().end() ? nullptr : &*found;
}

std::optional<std::string> explain_word(std::string_view word) {
  const WordTopic* topic = find_topic(word);
  std::string text = topic ? topic_text(*topic) : "";
  const std::string words = words_called(word);
  if (!text.empty() && !words.empty()) text += "\n";
  text += words;
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

std::string list_topics() {
  std::string text;
  for (const WordTopic& topic : topics())
    text += fmt::format("{:<18} {}\n", topic.name, topic.title);
  return text;
}

std::vector<std::string_view> explained_words() {
  std::vector<std::string_view> names;
  for (const WordTopic& topic : topics()) names.push_back(topic.name);
  for (const WordTopic& topic : topics()) {
    for (const TopicWord& word : topic.words) names.emplace_back(word.name);
  }
  return names;
}

std::string markdown_table(const WordTopic& topic, std::string_view first,
                           std::string_view second) {
  std::string text = fmt::format("| {} | {} |\n|---|---|\n", first, second);
  for (const TopicWord& word : topic.words)
    text += fmt::format("| `{}` | {} |\n", cell(word.written), cell(word.meaning));
  return text;
}

}  // namespace opweave::codegen
