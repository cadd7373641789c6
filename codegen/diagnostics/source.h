// Source texts and spans inside them: the ground that every tree and every diagnostic stands on.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::codegen {

// Line and column, both counted from 1; the column counts bytes.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};

// One input file: its name and its whole text. Never copied or moved once made, so that spans and
// string_views into it stay valid as long as the Sources that owns it.
class Source {
 public:
  Source(std::string path, std::string text);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  Position position(uint32_t offset) const;
  // The line with this number (from 1), without its end-of-line characters.
  std::string_view line(uint32_t number) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }

 private:
  std::string path_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
};

// A range of bytes [begin, end) of one source. A default-made span points nowhere.
struct Span {
  const Source* source = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  explicit operator bool() const { return source != nullptr; }
  std::string_view text() const { return source->text().substr(begin, end - begin); }
  friend bool operator==(const Span&, const Span&) = default;
};

// From the beginning of `first` to the end of `last`.
Span join(const Span& first, const Span& last);

// Owns the sources of one run.
class Sources {
 public:
  const Source* add(std::string path, std::string text);
  const std::deque<Source>& all() const { return sources_; }

 private:
  std::deque<Source> sources_;
};

}  // namespace opweave::codegen
