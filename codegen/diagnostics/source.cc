// Sources, and the way from byte offsets to lines and columns.
#include "codegen/diagnostics/source.h"

#include <algorithm>
#include <utility>

namespace opweave::codegen {

Source::Source(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_starts_.push_back(static_cast<uint32_t>(at + 1));
  }
}

Position Source::position(uint32_t offset) const {
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  auto line = static_cast<uint32_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view Source::line(uint32_t number) const {
  std::string_view rest = text().substr(line_starts_[number - 1]);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

Span join(const Span& first, const Span& last) {
  if (!first) return last;
  if (!last || first.source != last.source) return first;
  return {first.source, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

const Source* Sources::add(std::string path, std::string text) {
  return &sources_.emplace_back(std::move(path), std::move(text));
}

}  // namespace opweave::codegen
