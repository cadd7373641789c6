// `opweave gen --trace`: every generated line says which line of an emitter printed it.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen {

// A line of the generator: where the function is called that has Caller::current() as default.
// std::source_location is the same, but not in clang 14, which builds the fuzz targets.
struct Caller {
  const char* file;
  int line;

  static constexpr Caller current(const char* file = __builtin_FILE(),
                                  int line = __builtin_LINE()) {
    return {file, line};
  }
};

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
std::string stamped(std::string_view text, const Caller& printer);

std::string without_stamps(std::string_view text);
// The text with its stamps as comments of the language that the file's name tells; without them in
// files that have no comments.
std::string with_comments(std::string_view text, std::string_view path);

}  // namespace opweave::codegen
