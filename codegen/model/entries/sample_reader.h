// Reads the key `samples` of an entry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/model/declarations/sample.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// What is wrong is reported and left out.
class SampleReader {
 public:
  SampleReader(const Schema& schema, Fields& fields, DiagnosticSink& sink)
      : schema_(schema), fields_(fields), sink_(sink) {}

  // `{self: positive, alpha: [2, 0.5]}`
  std::vector<ArgumentSample> read_arguments(const YamlNode& map);
  // `[{self: real(2x3), dim: 1}]`
  std::vector<SampleCall> read_calls(const YamlNode& list);

 private:
  const Argument* argument(const LocatedText& name);
  std::optional<ArgumentSample> read_argument(const LocatedText& name, const Argument& argument,
                                              const YamlNode& value);
  std::optional<Domain> read_domain(const LocatedText& name, const Argument& argument,
                                    const YamlNode& value);
  std::optional<Constant> read_value(const LocatedText& name, const Argument& argument,
                                     const YamlNode& value);
  static bool is_near_domain(const YamlNode& value);
  static bool is_no_whole_number(const Argument& argument, const YamlNode& value);
  SampleCall read_call(const YamlNode& map);
  void check_complete(const SampleCall& call, const YamlNode& map);

  const Schema& schema_;
  Fields& fields_;
  DiagnosticSink& sink_;
  bool failed_ = false;  // the last value: it has been reported
};

}  // namespace opweave::codegen
