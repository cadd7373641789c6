// Stamps of lines.
#include "codegen/emit/text/trace.h"

namespace opweave::codegen {
namespace {

// Control characters, which printed text never contains (strings escape them).
constexpr char kBegin = '\x01', kEnd = '\x02';

template <typename Take>
void each_line(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    take(text.substr(0, end), end != std::string_view::npos);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// Takes the stamps out of a line; the first one that it had, or nothing.
std::string take_stamp(std::string& line) {
  std::string stamp;
  for (size_t begin; (begin = line.find(kBegin)) != std::string::npos;) {
    const size_t end = line.find(kEnd, begin);
    if (stamp.empty()) stamp = line.substr(begin + 1, end - begin - 1);
    line.erase(begin, end - begin + 1);
  }
  return stamp;
}

std::string with_comment(const std::string& line, const std::string& stamp, bool python) {
  if (line.find_first_not_of(' ') == std::string::npos) return line;
  if (python) return line + "  # " + stamp;
  // A macro goes on in the next line: the backslash stays last.
  if (line.ends_with('\\')) return line.substr(0, line.size() - 1) + "/* " + stamp + " */ \\";
  return line + "  // " + stamp;
}

}  // namespace

thread_local bool Trace::on_ = false;

std::string stamped(std::string_view text, const Caller& printer) {
  std::string out;
  each_line(text, [&](std::string_view line, bool ended) {
    out += line;
    // The end of an unfinished line is stamped by whoever finishes it.
    if (!ended) return;
    if (!line.empty() && line.find(kBegin) == std::string_view::npos)
      out += kBegin + std::string(printer.file) + ":" + std::to_string(printer.line) + kEnd;
    out += '\n';
  });
  return out;
}

std::string without_stamps(std::string_view text) {
  std::string plain(text);
  take_stamp(plain);
  return plain;
}

std::string with_comments(std::string_view text, std::string_view path) {
  const bool python = path.ends_with(".py") || path.ends_with(".pyi");
  const bool cpp = path.ends_with(".cc") || path.ends_with(".h") || path.ends_with(".def");
  std::string out;
  each_line(text, [&](std::string_view line, bool ended) {
    std::string plain(line);
    const std::string stamp = take_stamp(plain);
    out += (python || cpp) && !stamp.empty() ? with_comment(plain, stamp, python) : plain;
    if (ended) out += '\n';
  });
  return out;
}

}  // namespace opweave::codegen
