// One entry of ops.yaml as it is written: typed fields with their places, before any check of
// sense.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/element.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/fold_entry.h"
#include "codegen/model/entries/python_operators.h"
#include "codegen/model/entries/rule_entry.h"
#include "codegen/syntax/schema.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

struct OperatorEntry {
  Schema schema;
  Span span;             // of the schema string
  bool damaged = false;  // something of it could not be read: what seems missing may be there
  std::optional<LocatedText> expr;
  FoldEntry fold;
  std::optional<LocatedText> composite;
  Batching batching = Batching::automatic;
  Span batching_span;
  std::optional<LocatedText> batching_formula;
  AutocastPolicies autocast;
  Span autocast_span;
  std::vector<std::pair<LocatedText, LocatedText>> roles;  // argument, role
  std::optional<std::vector<LocatedText>> kernels;
  RuleEntry rule;
  std::vector<LocatedText> implementations;  // those keys of the three above that are given
  std::optional<std::vector<LocatedText>> variants;
  std::optional<bool> inplace, out, differentiable;
  std::optional<OutDtype> out_dtype;
  Span inplace_span, out_span, out_dtype_span, differentiable_span;
  bool internal = false;
  Span internal_span, variants_span;
  std::optional<DTypeSet> dtypes;
  Span dtypes_span, argument_dtypes_span, promotion_span;
  std::optional<Promotion> promotion;
  std::vector<std::pair<LocatedText, DTypeSet>> argument_dtypes;
  std::vector<LocatedText> pointwise_keys;  // that are given and mean something for an expr only
  std::vector<LocatedText> numbers;         // tensor arguments for which Python may pass a number
  std::vector<LocatedText>
      promotes;                    // arguments that take part in promotion; empty: the default rule
  std::vector<LocatedText> suits;  // numbers that have to suit the dtype
  std::vector<LocatedText> exact_numbers;
  std::string doc;
  std::optional<LocatedText> python_name;
  std::string python_module;
  Span python_module_span;
  const PythonOperator* python_operator = nullptr;
  Span python_operator_span;
  std::optional<LocatedText> nn_function;  // `none`, or a signature
  std::vector<LocatedText> tags;
  std::optional<LocatedText> reference;        // a formula
  std::optional<LocatedText> numpy_reference;  // or an expression of Python
  Span reference_span;
  bool has_samples = false;
  std::vector<ArgumentSample> argument_samples;
  std::vector<SampleCall> sample_calls;
};

// The entries whose schema could be read; everything wrong is reported.
// `lost` gets the names of the others.
std::vector<OperatorEntry> read_operator_entries(const YamlNode& root, const Source& source,
                                                 std::vector<std::string>& lost,
                                                 DiagnosticSink& sink);

// A group that `dtypes` can name.
std::optional<DTypeSet> dtype_group(std::string_view name);
// A list of dtypes and groups, or one string with commas. Nothing is returned only after a report.
class Fields;
std::optional<DTypeSet> read_dtype_set(Fields& fields, const LocatedText& key,
                                       const YamlNode& value);

}  // namespace opweave::codegen
