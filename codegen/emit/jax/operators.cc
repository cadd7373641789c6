// The file of operators: expressions, formulas, rules of kernels.
#include "codegen/emit/extension/operators.h"

#include "codegen/emit/extension/batching.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/model/lowered/numbers.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

bool names_dims(Role role) {
  return role == Role::dim || role == Role::dims_or_all || role == Role::order ||
         role == Role::new_dim;
}

// `int[2]?` as in the schema; `int[0|2]` may be empty as well. A list that names dimensions is as
// long as there are any: one of them may stand for it.
std::string type_text(const Operator& op, size_t argument) {
  Type type = op.schema.arguments[argument].type;
  type.alias.reset();
  if (type.size && names_dims(op.policies->role(argument))) type.size = 1;
  std::string text = print(type);
  const auto& value = op.schema.arguments[argument].default_value;
  const bool may_be_empty =
      type.size && value && value->kind == Constant::Kind::list && value->items.empty();
  if (may_be_empty) text.insert(text.find('[') + 1, "0|");
  return quoted(text);
}

template <class Wanted>
std::vector<uint16_t> arguments_where(const Operator& op, Wanted wanted) {
  std::vector<uint16_t> found;
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i) {
    if (wanted(i)) found.push_back(i);
  }
  return found;
}

class OperatorPrinter {
 public:
  OperatorPrinter(Printer& p, const JaxLibrary& library, const Operator& op)
      : p_(p), library_(library), op_(op) {
    for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
      types_.add(type_text(op, i));
      parameters_.add(jax_name(op, i));
    }
  }

  void print() {
    switch (jax_way(op_)) {
      case JaxWay::expression:
        print_expression();
        break;
      case JaxWay::composite:
        print_composite();
        break;
      case JaxWay::kernel:
        print_kernel();
        break;
      default:
        return;
    }
    if (has_jax_formulas(op_)) print_jax_derivative(p_, op_);
  }

 private:
  // How it is differentiated, behind what is its own.
  std::string words(std::string own) const {
    const auto add = [&own](const std::string& word) { own += (own.empty() ? "" : ", ") + word; };
    if (has_jax_formulas(op_)) {
      add(jax_reads(op_));
      add("differentiable=\"formulas\"");
    } else if (op_.gradient->differentiability == Differentiability::none && !op_.origin.imported) {
      add("differentiable=\"no\"");
    }
    return own;
  }

  // A decorator with what is said of an operator, and the function that it decorates.
  void print_function(std::string_view kind, const std::string& words,
                      const std::string& first_parameter, const Printer::Value& body) {
    p_.print({{"kind", kind},
              {"name", quoted(op_.face->python_name)},
              {"types", types_.text()},
              {"words", words.empty() ? "" : ",\n    " + words},
              {"schema", codegen::print(op_.schema)},
              {"id", op_.name.identifier},
              {"parameters", first_parameter + parameters_.text()},
              {"body", body}},
             "\n\n@ow_$kind$($name$, [$types$]$words$)\n"
             "def op_$id$($parameters$):\n"
             "    # $schema$\n"
             "    $body$");
  }

  std::string names_where(std::string_view word, auto wanted) const {
    const std::vector<uint16_t> found = arguments_where(op_, wanted);
    return found.empty() ? "" : ", " + std::string(word) + "=" + jax_names(op_, found);
  }

  // `, accepts={"self": ["float32"]}`: of tensors that may not be of every dtype.
  std::string accepted_dtypes() const {
    CommaList items;
    for (size_t i = 0; i < op_.dtypes->of_arguments.size(); ++i) {
      const DtypeMask mask = op_.dtypes->of_arguments[i].bits;
      if (!op_.schema.arguments[i].type.is_tensor_like() || (mask & dtypes::kReal) == dtypes::kReal)
        continue;
      items.add(quoted(jax_name(op_, i)) + ": [" + comma_list(dtypes_of(mask), quoted) + "]");
    }
    return items.text().empty() ? "" : ", accepts={" + items.text() + "}";
  }

  // What becomes of one number beside arrays, as in Opweave's own kernels.
  std::string words_of_numbers() const {
    const auto is_exact = [&](uint16_t i) {
      const ElementArgument& use = op_.elements->arguments[i];
      return op_.schema.arguments[i].type.is_tensor() && use.exact && !use.as_boolean;
    };
    const auto belongs = [&](NumberPlace place) {
      return [this, place](uint16_t i) {
        return !op_.schema.arguments[i].type.is_tensor() && place_of_number(op_, i) == place;
      };
    };
    const auto rounds = [&](uint16_t i) {
      return !op_.schema.arguments[i].type.is_tensor() && is_rounded(op_, i);
    };
    return names_where("exact", is_exact) + names_where("rounded", rounds) +
           names_where("factors", belongs(NumberPlace::computation)) +
           names_where("elements", belongs(NumberPlace::element)) +
           names_where("one_elements", belongs(NumberPlace::one_element));
  }

  std::string expression_words() const {
    const auto is_number = [&](uint16_t i) {
      const Type& type = op_.schema.arguments[i].type;
      return !type.is_tensor_like() && type.base != BaseType::string;
    };
    const auto is_mask = [&](uint16_t i) {
      return op_.schema.arguments[i].type.is_tensor() && op_.elements->arguments[i].as_boolean;
    };
    const auto promotes = [&](uint16_t i) {
      return is_number(i) && op_.elements->arguments[i].promotes;
    };
    const bool is_test = op_.elements->promotion.result == ResultRule::boolean;
    return "compute=" + quoted(compute_name(op_.elements->promotion.compute)) + ", dtypes=[" +
           comma_list(dtypes_of(op_.selected->dtypes.bits & dtypes::kCommon), quoted) + "]" +
           names_where("numbers", is_number) + names_where("masks", is_mask) +
           names_where("promoting", promotes) + words_of_numbers() + accepted_dtypes() +
           (is_test ? ", is_test=True" : "");
  }

  void print_expression() {
    print_function("pointwise", words(expression_words()), "ow_m, ",
                   [&] { print_jax_expression(p_, op_); });
  }

  void print_composite() { print_function("composite", words(""), "", jax_composite(op_)); }

  std::string batching_words() const {
    if (op_.formulas->batching != nullptr)
      return op_.policies->batching == Batching::example ? "\"example\"" : "\"batch\"";
    switch (batch_way(op_)) {
      case BatchWay::none:
        return "\"none\"";
      case BatchWay::leading:
        return "\"leading\"";
      case BatchWay::pointwise:
        return "\"pointwise\"";
      case BatchWay::dims:
        return "\"dims\", dims=" + jax_names(op_, named_dims(op_));
      case BatchWay::loop:
        break;
    }
    return "\"loop\"";
  }

  void print_kernel() {
    const std::string own = "target=" + quoted(library_.package + "." + op_.name.identifier) +
                            ", batching=" + batching_words() +
                            (op_.schema.returns.size() > 1 ? ", several=True" : "");
    print_function("kernel", words(own), "", [&] { print_jax_rule(p_, op_); });
    if (op_.formulas->batching == nullptr) return;
    p_.print({{"id", op_.name.identifier},
              {"formula", jax_formula(*op_.formulas->batching, jax_names_in_formulas(op_))}},
             "\n\n@op_$id$.batched\n"
             "def _(a):\n"
             "    return $formula$");
  }

  Printer& p_;
  const JaxLibrary& library_;
  const Operator& op_;
  CommaList types_, parameters_;
};

}  // namespace

std::string print_jax_operators(const JaxLibrary& library) {
  Printer p;
  p.print({{"banner", kPythonBanner}},
          "\"\"\"The operators: what they compute, and how they are differentiated.\"\"\"\n"
          "$banner$\n"
          "# ruff: noqa: E501, F401\n"
          "import jax.numpy as ow_jnp\n"
          "\n"
          "from . import _core as ow_core\n"
          "from . import _rule as ow_rule\n"
          "from ._kernel import kernel as ow_kernel\n"
          "from ._operator import composite as ow_composite\n"
          "from ._pointwise import pointwise as ow_pointwise");
  for (const auto* list : {&library.operators, &library.called}) {
    for (const Operator* op : *list) OperatorPrinter(p, library, *op).print();
  }
  return p.take();
}

}  // namespace opweave::codegen
