// Samples as entries write them.
#include "codegen/model/entries/sample_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/keys.h"
#include "codegen/model/entries/sample_value.h"
#include "codegen/syntax/yaml_places.h"
#include "schema/constant_parser.h"
#include "schema/number_text.h"

namespace opweave::codegen {

using words::kDomains;

std::optional<Domain> domain_from_name(std::string_view name) {
  const auto found = std::ranges::find(kDomains, name);
  if (found == std::end(kDomains)) return {};
  return static_cast<Domain>(found - std::begin(kDomains));
}

std::string_view domain_name(Domain domain) {
  return domain == Domain::below ? "below" : kDomains[static_cast<size_t>(domain)];
}

const Argument* SampleReader::argument(const LocatedText& name) {
  const int index = schema_.find_argument(name.text);
  if (index >= 0) return &schema_.arguments[index];
  Suggester suggester(name.text);
  for (const Argument& known : schema_.arguments) suggester.offer(known.name);
  sink_
      .error(Code::unknown_argument, name.whole(),
             fmt::format("'{}' has no argument '{}'", schema_.full_name(), name.text))
      .suggest(suggester.best())
      .note(schema_.span, "the operator is declared here");
  return nullptr;
}

std::vector<ArgumentSample> SampleReader::read_arguments(const YamlNode& map) {
  std::vector<ArgumentSample> samples;
  for (const YamlNode::Entry& field : map.entries) {
    const Argument* known = argument(field.key);
    if (known == nullptr) continue;
    if (auto sample = read_argument(field.key, *known, *field.value))
      samples.push_back(std::move(*sample));
  }
  return samples;
}

// The name of a domain, one value, or a list of values.
std::optional<ArgumentSample> SampleReader::read_argument(const LocatedText& name,
                                                          const Argument& argument,
                                                          const YamlNode& value) {
  ArgumentSample sample;
  sample.argument = name.text;
  sample.span = value.is_null() ? name.whole() : extent(value);
  failed_ = false;
  sample.domain = read_domain(name, argument, value);
  if (failed_) return {};
  if (sample.domain) return sample;
  if (!value.is_sequence() && !value.is_scalar() && !value.is_null()) {
    fields_.wrong_kind(name, value, "a text");
    return {};
  }
  const YamlNode* const single[] = {&value};
  const auto& items = value.items;
  const auto values =
      value.is_sequence() ? std::span(items.data(), items.size()) : std::span(single);
  if (values.empty()) return fields_.empty(name, value), std::nullopt;
  for (const YamlNode* item : values) {
    if (!item->is_scalar() && !item->is_null()) {
      fields_.wrong_kind(name, *item, "a text");
      return {};
    }
    std::optional<Constant> constant = read_value(name, argument, *item);
    if (!constant) return {};
    sample.values.push_back(std::move(*constant));
  }
  return sample;
}

// Whether values of the type can be drawn from a domain: tensors and single numbers, as far as its
// elements are such numbers.
static bool can_be_drawn(const Type& type, Domain domain) {
  if (type.is_tensor()) return true;
  if (type.list) return false;
  const bool truth = domain == Domain::boolean;
  if (type.base == BaseType::boolean) return truth;
  if (type.base == BaseType::integer) return domain == Domain::integer;
  if (type.base == BaseType::floating) return !truth && domain != Domain::integer;
  return type.base == BaseType::scalar;
}

// Nothing where none is named, or after a report. A word that a string may be is that word.
std::optional<Domain> SampleReader::read_domain(const LocatedText& name, const Argument& argument,
                                                const YamlNode& value) {
  const Type& type = argument.type;
  if (!value.is_scalar() || value.quoted || type.base == BaseType::string) return {};
  const std::optional<Domain> domain = domain_from_name(value.text.text);
  if (!domain || can_be_drawn(type, *domain)) return domain;
  failed_ = true;
  sink_
      .error(Code::type_mismatch, value.text.whole(),
             fmt::format("'{}' in {} cannot be drawn from '{}': it is of type {}", name.text,
                         fields_.named("samples"), value.text.text, print(type)))
      .note(argument.span, "it is declared here");
  return {};
}

// Whether a word for a value of the type can only have been meant for a domain.
static bool has_numbers(const Type& type) {
  return type.base == BaseType::tensor || type.base == BaseType::scalar ||
         type.base == BaseType::integer || type.base == BaseType::floating ||
         type.base == BaseType::boolean;
}

// A word that is almost a domain is a mistake.
bool SampleReader::is_near_domain(const YamlNode& value) {
  if (!value.is_scalar() || value.quoted || schema::looks_like_number(value.text.text))
    return false;
  const std::string_view word = value.text.text;
  const bool has_sizes = word.find('(') != std::string_view::npos;
  const bool has_meaning = has_sizes || word == "none" || word == "true" || word == "false" ||
                           word == "nan" || schema::parse_number(word);
  return !has_meaning && !closest(word, kDomains).empty();
}

// A number with a fraction for an int, which is told apart from other mistakes.
bool SampleReader::is_no_whole_number(const Argument& argument, const YamlNode& value) {
  const bool whole = argument.type.base == BaseType::integer && !argument.type.list;
  if (!whole || !value.is_scalar() || value.quoted) return false;
  const std::optional<Constant> number = schema::parse_number(value.text.text);
  return number && number->kind == Constant::Kind::real;
}

// One value of the argument's type; of a tensor its only element.
std::optional<Constant> SampleReader::read_value(const LocatedText& name, const Argument& argument,
                                                 const YamlNode& value) {
  if (is_no_whole_number(argument, value)) {
    sink_.error(Code::type_mismatch, value.text.whole(),
                fmt::format("'{}' in {} is not a whole number, which '{}' takes", value.text.text,
                            fields_.named("samples"), name.text));
    return {};
  }
  if (has_numbers(argument.type) && is_near_domain(value)) {
    fields_.bad_value(value.text, "samples", kDomains);
    return {};
  }
  std::optional<SampleValue> read = read_sample_value(argument, name, value, schema_, sink_);
  if (!read) return {};
  if (read->kind != SampleValue::Kind::drawn) return std::move(read->constant);
  sink_
      .error(Code::bad_value, value.text.whole(),
             fmt::format("'{}' in {} cannot be '{}'", name.text, fields_.named("samples"),
                         value.text.text))
      .note({}, fmt::format("a mapping names a domain alone; sizes stand in a list of calls: "
                            "samples: [{{{}: {}}}]",
                            name.text, value.text.text));
  return {};
}

std::vector<SampleCall> SampleReader::read_calls(const YamlNode& list) {
  std::vector<SampleCall> calls;
  if (list.items.empty()) {
    sink_.error(Code::bad_value, extent(list),
                fmt::format("{} has no call", fields_.named("samples")));
  }
  for (const YamlNode* item : list.items) {
    if (item->is_map()) {
      calls.push_back(read_call(*item));
    } else {
      sink_
          .error(Code::wrong_kind, extent(*item),
                 fmt::format("a call in {} must be a mapping of arguments, not {}",
                             fields_.named("samples"), describe(*item)))
          .note({}, "such as {self: real(2x3), dim: 1}");
    }
  }
  return calls;
}

SampleCall SampleReader::read_call(const YamlNode& map) {
  SampleCall call;
  call.span = extent(map);
  bool whole = true;
  for (const YamlNode::Entry& field : map.entries) {
    const Argument* known = argument(field.key);
    std::optional<SampleValue> value;
    if (known != nullptr)
      value = read_sample_value(*known, field.key, *field.value, schema_, sink_);
    const Span span = field.value->is_null() ? field.key.whole() : extent(*field.value);
    if (value) call.arguments.push_back({std::string(field.key.text), std::move(*value), span});
    whole &= value.has_value();
  }
  if (whole) check_complete(call, map);
  return call;
}

void SampleReader::check_complete(const SampleCall& call, const YamlNode& map) {
  for (const Argument& needed : schema_.arguments) {
    const auto is_given = [&](const SampleCall::Given& g) { return g.argument == needed.name; };
    if (needed.default_value || std::ranges::any_of(call.arguments, is_given)) continue;
    sink_
        .error(Code::incomplete_sample, extent(map),
               fmt::format("a sample of '{}' does not give the argument '{}'", schema_.full_name(),
                           needed.name))
        .note(needed.span, "it has no default");
  }
}

}  // namespace opweave::codegen
