// Samples as entries write them.
#include "codegen/model/samples/sample_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/keys.h"
#include "codegen/model/samples/sample_value.h"
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
    if (auto sample = read_argument(field.key, known->type, *field.value))
      samples.push_back(std::move(*sample));
  }
  return samples;
}

// The name of a domain, one value, or a list of values.
std::optional<ArgumentSample> SampleReader::read_argument(const LocatedText& name, const Type& type,
                                                          const YamlNode& value) {
  ArgumentSample sample;
  sample.argument = name.text;
  if (value.is_scalar() && !value.quoted) sample.domain = domain_from_name(value.text.text);
  if (sample.domain) return sample;
  if (!value.is_sequence() && !value.is_scalar() && !value.is_null()) {
    fields_.wrong_kind(name, value, "a text");
    return {};
  }
  const YamlNode* const single[] = {&value};
  const auto& items = value.items;
  const auto values =
      value.is_sequence() ? std::span(items.data(), items.size()) : std::span(single);
  for (const YamlNode* item : values) {
    if (!item->is_scalar() && !item->is_null()) {
      fields_.wrong_kind(name, *item, "a text");
      return {};
    }
    std::optional<Constant> constant = read_plain(*item);
    if (!constant) return {};
    const bool wants_whole = type.base == BaseType::integer && !type.list;
    if (wants_whole && constant->kind == Constant::Kind::real) {
      sink_.error(Code::type_mismatch, item->text.whole(),
                  fmt::format("'{}' in {} is not a whole number, which '{}' takes", item->text.text,
                              fields_.named("samples"), name.text));
      return {};
    }
    sample.values.push_back(std::move(*constant));
  }
  return sample;
}

// A value, whatever the type of its argument. A word that is almost a domain is a mistake.
std::optional<Constant> SampleReader::read_plain(const YamlNode& value) {
  Constant constant;
  if (value.is_null()) {
    constant.text = "None";
    return constant;
  }
  const std::string_view text = value.text.text;
  if (!value.quoted) {
    if (text == "none") return constant;
    if (std::optional<Constant> number = schema::parse_number(text)) return number;
  }
  if (!value.quoted && (text == "true" || text == "false")) {
    constant.kind = Constant::Kind::boolean;
    constant.boolean = text == "true";
    constant.text = constant.boolean ? "True" : "False";
    return constant;
  }
  if (!value.quoted && !closest(text, kDomains).empty()) {
    fields_.bad_value(value.text, "samples", kDomains);
    return {};
  }
  if (!value.quoted && schema::looks_like_number(text)) {
    sink_.error(Code::bad_value, value.text.whole(),
                fmt::format("in {}: {}", fields_.named("samples"), schema::number_problem(text)));
    return {};
  }
  constant.kind = Constant::Kind::string;
  constant.string = text;
  constant.text = fmt::format("'{}'", text);
  return constant;
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
  bool whole = true;
  for (const YamlNode::Entry& field : map.entries) {
    const Argument* known = argument(field.key);
    std::optional<SampleValue> value;
    if (known != nullptr)
      value = read_sample_value(*known, field.key, *field.value, schema_, sink_);
    if (value) call.arguments.push_back({std::string(field.key.text), std::move(*value)});
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
