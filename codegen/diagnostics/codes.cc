// Names and titles of the rules.
#include "codegen/diagnostics/codes.h"

#include <fmt/format.h>

namespace opweave::codegen {
namespace {

struct Title {
  Code code;
  std::string_view text;
};

constexpr Title kTitles[] = {
    {Code::yaml_syntax, "the text is not YAML"},
    {Code::yaml_feature, "anchors, aliases, tags and several documents are not used"},
    {Code::duplicate_key, "a key is given once"},
    {Code::unknown_key, "every key is a known one"},
    {Code::missing_key, "a required key is there"},
    {Code::wrong_kind, "a list, a mapping or a single value stands where it is expected"},
    {Code::bad_value, "a value is one of those that its key allows"},
    {Code::empty_file, "a file holds a list of entries"},
    {Code::schema_syntax, "a schema follows the grammar of PyTorch's native functions"},
    {Code::unknown_type, "a schema names known types"},
    {Code::schema_not_canonical, "a schema is spelled the one canonical way"},
    {Code::bad_default, "a default fits the type of its argument"},
    {Code::duplicate_argument, "arguments of one operator have different names"},
    {Code::bad_alias, "what is written or viewed by a result is an argument with the same alias"},
    {Code::schema_order, "an argument with a default does not stand before one without"},
    {Code::reserved_name, "an argument has no name that is a keyword of Python"},
    {Code::bad_schema_name, "the name of an operator fits its schema"},
    {Code::expression_syntax, "an expression follows the grammar"},
    {Code::unknown_name, "a name in an expression is an argument or a known value"},
    {Code::unknown_function, "a function in an expression is an operator or an intrinsic"},
    {Code::wrong_arguments, "a call gives the arguments that the function takes"},
    {Code::type_mismatch, "a value has the type that is needed"},
    {Code::out_of_bounds, "an index is within what it indexes"},
    {Code::not_pointwise, "an `expr` is made of pointwise operations"},
    {Code::ambiguous_call, "one overload fits a call best"},
    {Code::too_deep, "an expression is not nested too deeply"},
    {Code::recursive_expression, "an expression does not call the operator that it defines"},
    {Code::duplicate_operator, "an operator is defined once"},
    {Code::no_implementation, "an operator says how it computes: expr, composite or kernels"},
    {Code::several_implementations, "an operator says only once how it computes"},
    {Code::unknown_target, "kernels are for known targets"},
    {Code::no_gradient_statement, "an operator says how it is differentiated, or that it is not"},
    {Code::conflicting_statements, "the keys of an entry do not contradict one another"},
    {Code::wrong_form, "an operator can have the forms that its entry asks for"},
    {Code::unknown_argument, "a key names an argument of the operator"},
    {Code::names_collide, "the names of different operators stay different in C++ and Python"},
    {Code::unknown_operator, "derivatives and kernels are for operators that exist"},
    {Code::duplicate_derivative, "an operator has one derivative entry"},
    {Code::missing_derivative, "a derivative entry covers every tensor argument"},
    {Code::not_differentiable_input, "gradients are for tensor arguments"},
    {Code::derived_form, "derivatives are given for the form in the file, not for derived ones"},
    {Code::no_symbolic_derivative, "the derivative of an expression can be derived"},
    {Code::derivative_conflict, "a derivative entry is for a differentiable operator"},
};

}  // namespace

std::string code_name(Code code) { return fmt::format("OW{:04}", static_cast<int>(code)); }

std::string_view code_title(Code code) {
  for (const Title& title : kTitles) {
    if (title.code == code) return title.text;
  }
  return "";
}

}  // namespace opweave::codegen
