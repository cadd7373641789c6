// Sorts arguments, and prints what forms have in common.
#include "codegen/torch/schema_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/torch/exemptions.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::array<std::pair<std::string_view, BaseType>, 4> kOptions = {
    {{"dtype", BaseType::scalar_type},
     {"layout", BaseType::layout},
     {"device", BaseType::device},
     {"pin_memory", BaseType::boolean}}};

bool is_option(const Argument& argument, size_t place) {
  const Type& type = argument.type;
  return argument.name == kOptions[place].first && type.base == kOptions[place].second &&
         !type.list && !type.symbolic && !type.alias;
}

bool are_options(const std::vector<const Argument*>& arguments, size_t at) {
  if (at + kOptions.size() > arguments.size()) return false;
  for (size_t i = 0; i < kOptions.size(); ++i) {
    if (!is_option(*arguments[at + i], i)) return false;
  }
  return true;
}

bool is_returned(const Schema& schema, const Argument& argument) {
  return std::ranges::any_of(schema.returns,
                             [&](const Return& r) { return r.type.alias == argument.type.alias; });
}

std::string plain(Type type) {
  type.alias.reset();
  return print(type);
}

class SignaturePrinter {
 public:
  SignaturePrinter(const Schema& schema, const SchemaParts& parts, const OperatorName& name,
                   SignatureOf what)
      : schema_(schema), parts_(parts), name_(name), what_(what) {
    has_other_default_ = is_exempt(Exemption::default_of_forms, schema.full_name());
  }

  std::string print_all() {
    std::string base = name_.base;
    if (what_ == SignatureOf::views) base = viewed(std::move(base));
    out_ = name_.dunder ? fmt::format("__{}__(", base) : base + "(";
    for (const Argument* argument : parts_.before_self) add(*argument);
    if (parts_.self) add(*parts_.self);
    for (const Argument* argument : parts_.after_self) add(*argument);
    if (!parts_.keywords.empty()) out_ += "*, ";
    for (const Argument* argument : parts_.keywords) add(*argument);
    out_ += ") -> ";
    for (const Return& result : schema_.returns) out_ += plain(result.type) + ", ";
    if (parts_.self) add_written(*parts_.self);
    for (const Argument* argument : parts_.out) add_written(*argument);
    for (const Argument* argument : parts_.after_self) add_written(*argument);
    return std::move(out_);
  }

 private:
  // `f_copy` copies what `f` views, `f_scatter` what `f_inverse` does.
  static std::string viewed(std::string base) {
    const auto replace = [&](std::string_view from, std::string_view to) {
      size_t at = 0;
      while ((at = base.find(from, at)) != std::string::npos) {
        base.replace(at, from.size(), to);
        at += to.size();
      }
    };
    if (base.ends_with("_copy")) {
      replace("_copy", "");
    } else if (base.ends_with("_scatter")) {
      replace("scatter", "inverse");
    }
    return base;
  }

  void add(const Argument& argument) {
    out_ += plain(argument.type) + " " + argument.name;
    if (what_ != SignatureOf::gradients) {
      if (argument.default_value) out_ += "=" + argument.default_value->text;
      if (has_other_default_ && argument.name == "p") out_ += "=0.5";
    }
    out_ += ", ";
  }

  void add_written(const Argument& argument) {
    if (argument.type.is_mutated() && !is_returned(schema_, argument))
      out_ += plain(argument.type) + ", ";
  }

  const Schema& schema_;
  const SchemaParts& parts_;
  const OperatorName& name_;
  SignatureOf what_;
  bool has_other_default_ = false;
  std::string out_;
};

}  // namespace

std::string_view kind_name(SchemaKind kind) {
  constexpr std::string_view kNames[] = {"functional", "in-place", "out", "writing", "scratch"};
  return kNames[static_cast<size_t>(kind)];
}

SchemaParts::SchemaParts(const Schema& schema) {
  std::vector<const Argument*> keyword_only;
  for (const Argument& argument : schema.arguments) {
    if (argument.keyword_only) {
      const bool is_out = !out.empty() || argument.type.is_mutated();
      (is_out ? out : keyword_only).push_back(&argument);
    } else if (!self && argument.name == "self") {
      self = &argument;
    } else {
      after_self.push_back(&argument);
    }
  }
  if (self) {
    const auto before = [&](const Argument* argument) { return argument < self; };
    std::ranges::copy_if(after_self, std::back_inserter(before_self), before);
    std::erase_if(after_self, before);
  }
  for (size_t i = 0; i < keyword_only.size(); ++i) {
    if (!are_options(keyword_only, i)) {
      keywords.push_back(keyword_only[i]);
      continue;
    }
    if (!options.empty()) second_options = keyword_only[i];
    options.assign(keyword_only.begin() + static_cast<ptrdiff_t>(i),
                   keyword_only.begin() + static_cast<ptrdiff_t>(i + kOptions.size()));
    i += kOptions.size() - 1;
  }
}

std::vector<const Argument*> SchemaParts::inputs() const {
  std::vector<const Argument*> inputs = before_self;
  if (self) inputs.push_back(self);
  inputs.insert(inputs.end(), after_self.begin(), after_self.end());
  inputs.insert(inputs.end(), keywords.begin(), keywords.end());
  inputs.insert(inputs.end(), options.begin(), options.end());
  return inputs;
}

bool SchemaParts::has_tensor() const {
  return std::ranges::any_of(inputs(), [](const Argument* a) { return a->type.is_tensor_like(); });
}

bool SchemaParts::has_symint() const {
  return std::ranges::any_of(inputs(), [](const Argument* a) {
    return a->type.symbolic && a->type.base == BaseType::integer;
  });
}

SchemaKind kind_of(const SchemaParts& parts, const OperatorName& name) {
  if (name.in_place) return SchemaKind::in_place;
  const auto is_scratch = [](const Argument* a) { return a->name.starts_with("_scratch_"); };
  if (std::ranges::any_of(parts.out, is_scratch)) return SchemaKind::scratch;
  if (!parts.out.empty()) return SchemaKind::out;
  const bool writes =
      std::ranges::any_of(parts.after_self, [](const Argument* a) { return a->type.is_mutated(); });
  return writes ? SchemaKind::writing : SchemaKind::functional;
}

std::string signature(const Schema& schema, const SchemaParts& parts, const OperatorName& name,
                      SignatureOf what) {
  return SignaturePrinter(schema, parts, name, what).print_all();
}

}  // namespace opweave::codegen::torch
