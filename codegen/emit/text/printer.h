// Printer: writes generated text from templates with named variables, `$name$`. A variable is text,
// or a function that prints the lines that belong in its place. One that the template names but
// nobody gave, or that was given but is not named, is a bug in an emitter and fatal.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "codegen/emit/text/trace.h"

namespace opweave::codegen {

class Printer {
 public:
  class Value {
   public:
    template <class T>
    requires std::convertible_to<const T&, std::string_view> Value(const T& text)  // NOLINT
        : text_(text) {}
    // Prints whole lines to the same printer. It stands alone on its line, whose indentation the
    // lines get; without any there is no line.
    template <class Print>
    requires std::invocable<const Print&> Value(Print print)  // NOLINT
        : print_(std::move(print)) {}

   private:
    friend class Printer;
    std::string_view text_;
    std::function<void()> print_;
  };
  using Variables = std::initializer_list<std::pair<std::string_view, Value>>;

  // Prints `text`, indented. `$$` is a dollar sign. A variable whose value spans several lines
  // keeps the indentation of the line it stands on; a line with nothing but an empty variable is
  // dropped.
  void print(Variables variables, std::string_view text, Caller caller = Caller::current());
  // Prints text without variables.
  void print(std::string_view text, Caller caller = Caller::current()) { print({}, text, caller); }
  // Prints as it is: no variables, no indentation.
  void raw(std::string_view text, Caller caller = Caller::current());

  void indent() { indent_ += 2; }
  void outdent() { indent_ -= 2; }

  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  void print_line(Variables variables, std::string_view line, uint64_t& used);
  const Value* lone_callback(Variables variables, std::string_view line, uint64_t& used) const;
  void stamp(size_t start, const Caller& caller);
  void append_value(std::string_view value, size_t column);

  std::string out_;
  size_t indent_ = 0;
};

// Indents what is printed while it lives.
class Indented {
 public:
  explicit Indented(Printer& printer) : printer_(printer) { printer_.indent(); }
  ~Indented() { printer_.outdent(); }
  Indented(const Indented&) = delete;

 private:
  Printer& printer_;
};

}  // namespace opweave::codegen
