// The forms of one computation: linking those in the file, deriving the others.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/operators/builder.h"
#include "codegen/model/operators/schema_checks.h"

namespace opweave::codegen {
namespace {

std::string out_overload(const std::string& overload) {
  return overload.empty() ? "out" : overload + "_out";
}

Alias written(size_t index) {
  Alias alias;
  alias.before = {std::string(1, static_cast<char>('a' + index))};
  alias.write = true;
  return alias;
}

bool returns_fresh_tensors(const Schema& schema) {
  auto fresh = [](const Return& r) {
    return r.type.is_tensor() && !r.type.alias && !r.type.optional;
  };
  return !schema.returns.empty() && std::ranges::all_of(schema.returns, fresh);
}

bool first_is_tensor(const Schema& schema) {
  return !schema.arguments.empty() && schema.arguments[0].type.is_tensor() &&
         !schema.arguments[0].type.optional && !schema.arguments[0].keyword_only;
}

// The arguments of `op`, but for the last `more` ones, are those of `functional`.
bool has_arguments_of(const Operator& op, const Operator& functional, size_t more,
                      bool names_count = true) {
  const auto same = [&](const Argument& a, const Argument& b) {
    return (!names_count || a.name == b.name) && a.type.base == b.type.base &&
           a.type.list == b.type.list && a.type.optional == b.type.optional;
  };
  const std::vector<Argument>& arguments = op.schema.arguments;
  const std::vector<Argument>& wanted = functional.schema.arguments;
  return arguments.size() == wanted.size() + more &&
         std::equal(wanted.begin(), wanted.end(), arguments.begin(), same);
}

std::string join_name(const std::string& base, const std::string& overload) {
  return overload.empty() ? base : base + "." + overload;
}

}  // namespace

void OperatorBuilder::wrong_form(const Operator& op, Span span, std::string message) {
  sink_.error(Code::wrong_form, span, std::move(message))
      .note(op.origin.span, "the operator is declared here");
}

void OperatorBuilder::link_forms() {
  std::vector<Draft> in_files = drafts_;
  for (const Draft& draft : in_files) {
    const bool writes = !draft.op->effects.mutated.empty();
    forms_[draft.op] = writes ? Forms{.form = Form::manual} : Forms{.functional = draft.op};
  }
  for (const Draft& draft : in_files) link(*draft.op);
  // Rebuilt so that derived forms follow what they are derived from.
  drafts_.clear();
  table_ = OperatorTable();
  for (const Draft& draft : in_files) {
    table_.add(draft.op);
    drafts_.push_back(draft);
    derive_forms(*draft.op, *draft.entry);
  }
  for (const Draft& draft : in_files) link_elements(*draft.op);
}

// `add_.Tensor` and `add.Tensor_out` belong to `add.Tensor`, if it exists.
void OperatorBuilder::link(const Operator& op) {
  Forms& forms = forms_.at(&op);
  if (forms.form != Form::manual) return;
  const auto find_functional = [this](const std::string& full_name) -> const Operator* {
    const Operator* found = find(full_name);
    return found != nullptr && forms_.at(found).form == Form::functional ? found : nullptr;
  };
  if (op.name.base.ends_with('_') && op.effects.mutated.front() == 0) {
    const std::string base = op.name.base.substr(0, op.name.base.size() - 1);
    const Operator* functional = find_functional(join_name(base, op.name.overload));
    if (!functional) return;
    // With other names for the same arguments (PyTorch's dropout and dropout_), or in another order
    // (polygamma(n, self) and polygamma_(self, n)), they are two operators.
    if (functional->schema.find_argument(op.schema.arguments[0].name) > 0) return;
    const bool same_types = has_arguments_of(op, *functional, 0, false);
    if (!same_types) report_disagreement(op, *functional);
    if (same_types && !has_arguments_of(op, *functional, 0)) return;
    forms.form = Form::inplace;
    forms.functional = functional;
    forms_.at(functional).inplace = &op;
    return;
  }
  if (!op.name.overload.ends_with("out")) return;
  std::string overload = op.name.overload.substr(0, op.name.overload.size() - 3);
  if (overload.ends_with('_')) overload.pop_back();
  const Operator* functional = find_functional(join_name(op.name.base, overload));
  if (!functional) return;
  const size_t written = op.effects.mutated.size();
  const bool at_the_end = op.effects.mutated.front() + written == op.schema.arguments.size();
  const bool one_each = written == functional->schema.returns.size();
  if (!at_the_end || !one_each || !has_arguments_of(op, *functional, written))
    report_disagreement(op, *functional);
  forms.form = Form::out;
  forms.functional = functional;
  forms_.at(functional).out = &op;
}

// Overloads of one name whose arguments have the same names compute the same, of tensors or
// numbers.
void OperatorBuilder::link_elements(const Operator& op) {
  const auto is = [this](const Operator& which, Implementation implementation) {
    return computations_.at(&which).implementation == implementation &&
           forms_.at(&which).form == Form::functional;
  };
  if (!is(op, Implementation::kernels) || op.schema.returns.size() != 1) return;
  const auto are_elements = [](const Argument& a, const Argument& b) {
    return a.name == b.name && has_elements(a.type) && has_elements(b.type) &&
           a.type.optional == b.type.optional;
  };
  for (const Operator* other : table_.family(op.name.base)->overloads) {
    const bool says =
        is(*other, Implementation::expr) &&
        std::ranges::equal(op.schema.arguments, other->schema.arguments, are_elements);
    if (says) forms_.at(&op).elements_of = other;
  }
}

void OperatorBuilder::report_disagreement(const Operator& op, const Operator& functional) {
  const bool out = op.name.overload.ends_with("out");
  sink_
      .error(Code::forms_disagree, op.origin.span,
             fmt::format("'{}' is the {} form of '{}' by its name, but not by its arguments: {}",
                         op.name.full, out ? "out" : "in-place", functional.name.full,
                         out ? "it takes the same ones, then one to write for each result"
                             : "it takes the same ones and writes the first"))
      .note(functional.origin.span, "the functional form is here");
}

void OperatorBuilder::derive_forms(const Operator& op, const OperatorEntry& entry) {
  if (wants_inplace(op, entry)) forms_.at(&op).inplace = derive_inplace(op);
  if (wants_out(op, entry)) {
    forms_.at(&op).out = derive_out(op);
  } else if (entry.out_dtype) {
    wrong_form(op, entry.out_dtype_span,
               fmt::format("'out_dtype' is about the out form that is derived, and '{}' has none",
                           op.name.full));
  }
  if (entry.expr && entry.out_dtype > OutDtype::cast) {
    wrong_form(op, entry.out_dtype_span, "the 'out_dtype' of an 'expr' is 'same' or 'cast'");
  }
}

bool OperatorBuilder::wants_inplace(const Operator& op, const OperatorEntry& entry) {
  const Forms& forms = forms_.at(&op);
  bool possible = forms.form == Form::functional && first_is_tensor(op.schema) &&
                  op.schema.returns.size() == 1 && returns_fresh_tensors(op.schema);
  if (!entry.inplace) {
    // What folds gives another shape, or reads what it would overwrite.
    bool usual = entry.expr && !entry.fold.given() && !entry.internal &&
                 op.schema.find_argument("self") == 0;
    return possible && usual && !forms.inplace;
  }
  if (*entry.inplace && !possible) {
    wrong_form(
        op, entry.inplace_span,
        fmt::format("'{}' cannot have an in-place form: that needs a Tensor as first argument "
                    "and one new Tensor as result",
                    op.name.full));
  }
  return possible && *entry.inplace && !forms.inplace;
}

bool OperatorBuilder::wants_out(const Operator& op, const OperatorEntry& entry) {
  const Forms& forms = forms_.at(&op);
  bool possible = forms.form == Form::functional && returns_fresh_tensors(op.schema) &&
                  op.schema.find_argument("out") < 0;
  if (!entry.out) return possible && !entry.internal && !forms.out;
  if (*entry.out && !possible) {
    wrong_form(op, entry.out_span,
               fmt::format("'{}' cannot have an out form: that needs new Tensors as "
                           "results and no argument named 'out'",
                           op.name.full));
  }
  return possible && *entry.out && !forms.out;
}

const Operator* OperatorBuilder::derive_inplace(const Operator& op) {
  Schema schema = op.schema;
  schema.base_name += "_";
  schema.arguments[0].type.alias = written(0);
  schema.returns[0].type.alias = written(0);
  schema.returns[0].name.clear();
  return derived_form(op, std::move(schema), Form::inplace);
}

const Operator* OperatorBuilder::derive_out(const Operator& op) {
  Schema schema = op.schema;
  schema.overload_name = out_overload(op.name.overload);
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    Return& result = schema.returns[i];
    Argument argument;
    argument.type = result.type;
    argument.type.alias = written(i);
    argument.name = out_name(op.schema, i);
    argument.keyword_only = true;
    argument.span = argument.name_span = result.span;
    schema.arguments.push_back(std::move(argument));
    result.type.alias = written(i);
  }
  return derived_form(op, std::move(schema), Form::out);
}

const Operator* OperatorBuilder::derived_form(const Operator& op, Schema schema, Form kind) {
  Operator& form = storage_.operators.emplace_back(std::move(schema), op.origin);
  const bool runs_directly = computations_.at(&op).implementation == Implementation::expr;
  const Computation computation{runs_directly ? Implementation::expr : Implementation::derived, {}};
  computations_.emplace(&form, computation);
  forms_.emplace(&form, Forms{.form = kind, .functional = &op});
  insert(form, nullptr);
  return &form;
}

}  // namespace opweave::codegen
