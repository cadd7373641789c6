// Diagnostics: what is wrong, where, and what may have been meant. Collected in a sink, never
// thrown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/codes.h"
#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

enum class Severity { warning, error };

struct Note {
  Span span;  // may point nowhere: then only the message is shown
  std::string message;
};

struct Diagnostic {
  Code code;
  Severity severity = Severity::error;
  Span span;
  std::string message;
  std::string suggestion;  // the text that was probably meant; empty if none
  std::vector<Note> notes;
  bool in_context = false;  // a Context has said where it belongs

  Diagnostic& note(Span where, std::string text);
  Diagnostic& suggest(std::string text);
};

// Collects the diagnostics of one run in the order in which they were found.
class DiagnosticSink {
 public:
  // The reference is good until the next report: use it to chain notes and suggestions.
  Diagnostic& error(Code code, Span span, std::string message);
  Diagnostic& warning(Code code, Span span, std::string message);

  bool has_errors() const { return error_count_ > 0; }
  size_t error_count() const { return error_count_; }
  size_t warning_count() const { return diagnostics_.size() + hidden_ - error_count_; }
  // Of more than so many only the first are kept; all are counted.
  void keep_first(size_t limit);
  size_t hidden_count() const { return hidden_; }
  const std::vector<Diagnostic>& all() const { return diagnostics_; }
  // Orders by file (as first seen), then by position; reports at one place keep their order.
  void sort();

 private:
  friend class Context;
  std::vector<Diagnostic> diagnostics_;
  size_t error_count_ = 0;
  size_t hidden_ = 0;
};

// While it lives, reports get a last note that says what was being read, and points at it: the
// operator that an expression belongs to. The innermost context counts.
class Context {
 public:
  Context(DiagnosticSink& sink, Span where, std::string text);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

 private:
  DiagnosticSink& sink_;
  Note note_;
  size_t first_;  // of the reports that fall into it
};

}  // namespace opweave::codegen
