// `opweave gen --trace`: every generated line says which line of an emitter printed it.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace opweave::codegen {

// While one lives, printers of this thread stamp what they print. A state of the thread, because
// emitters make printers of their own whose text goes into other printers: the first stamp stays.
class Trace {
 public:
  Trace() { on_ = true; }
  ~Trace() { on_ = false; }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  static bool is_on() { return on_; }

 private:
  static thread_local bool on_;
};

// The text with a stamp at the end of each line that has none, in characters that no output holds.
std::string stamped(std::string_view text, const std::source_location& printer);

std::string without_stamps(std::string_view text);
// The text with its stamps as comments of the language that the file's name tells; without them in
// files that have no comments.
std::string with_comments(std::string_view text, std::string_view path);

}  // namespace opweave::codegen
