// The operators of a library as packages for other frameworks have them: which there are, and how
// Python spells their parameters.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

// The functional forms, in order, internal ones too: a trace of another framework makes calls in
// place functional again, and knows nothing of forms that Opweave derives.
std::vector<const Operator*> extension_operators(const Model& model);
// Of those the ones that programs call, by name; of overloads the first.
std::vector<const Operator*> public_operators(std::vector<const Operator*> operators);
// Those with a handwritten kernel.
std::vector<const Operator*> handwritten_operators(std::vector<const Operator*> operators);
// Whether it is differentiated, by formulas or through what it is made of.
bool is_differentiable(const Operator& op);

// The operators that a formula calls, with those of its operands; each as often as it is called.
void add_called(const FormulaNode& formula, std::vector<const Operator*>& called);

// `# Generated …`, which every file of Python begins with.
extern const std::string_view kPythonBanner;
// `self, *, b=4`; what stands behind each name is its default, or what `behind` says.
std::string python_parameters(const Operator& op,
                              const std::function<std::string(const Argument&)>& behind = {});
// `"b": 4, …`: the defaults of a schema, for a dict.
std::string python_defaults(const Operator& op);
std::string compute_name(ComputeRule rule);

}  // namespace opweave::codegen
