// OW00xx: files and YAML.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr Example kNegation{"- func: f(Tensor self) -> Tensor\n  expr: -self\n"};

constexpr Explanation kExplanations[] = {
    {Code::unreadable_file,
     "A file that is named on the command line is not there, is a directory, or may not be read.\n"
     "Nothing is checked then: what one file says is only right or wrong together with the others.",
     {.ops = "", .missing = true},
     kNegation},
    {Code::yaml_syntax,
     "The file has to be YAML before anything else can be said about it. The usual reasons are\n"
     "indentation that does not match, a bracket or quote that is not closed, and a plain text\n"
     "with ': ' or ' #' in it, which needs quotes.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu\n  differentiable: false\n"},
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n  "
      "differentiable: false\n"}},
    {Code::yaml_feature,
     "Anchors, aliases, tags and several documents would let one entry say something by way of\n"
     "another. Every entry stands for itself, so that it can be read and edited alone.",
     {"- &base\n  func: f(Tensor self) -> Tensor\n  expr: -self\n"},
     kNegation},
    {Code::duplicate_key,
     "Of a key that is given twice, YAML readers take one and drop the other silently.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  doc: One.\n  doc: Two.\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  doc: One and two.\n"}},
    {Code::unknown_key,
     "A key that nobody reads is a misspelt one: what it was meant to say would be lost.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  varaints: method\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  variants: method\n"}},
    {Code::missing_key,
     "An entry of ops.yaml needs 'func', one of derivatives.yaml needs 'name', and a target file\n"
     "needs 'name': without it nobody knows what the other keys are about.",
     {"- expr: -self\n  doc: The negative.\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  doc: The negative.\n"}},
    {Code::wrong_kind,
     "Every key has one shape: a text, true or false, a list of names, or a mapping.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  samples: [real]\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  samples: {self: real}\n"}},
    {Code::bad_value,
     "A key with a closed set of values takes no other. The note lists them.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  dtypes: [float32, flaot64]\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  dtypes: [float32, float64]\n"}},
    {Code::empty_file,
     "An operator file without operators is most likely not the file that was meant.",
     {"# Operators.\n"},
     {"# Operators.\n- func: f(Tensor self) -> Tensor\n  expr: -self\n"}},
    {Code::encoding,
     "Files are UTF-8, and hold no zero bytes. In another encoding names and texts would come out\n"
     "differently in each of the outputs, and no place in the file could be pointed at.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  doc: Caf\xE9.\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  doc: Caf\u00E9.\n"}},
    {Code::too_large,
     "Limits stand far behind what anybody needs, so that a slip is an error in its place and not\n"
     "a generator that runs out of memory: 100 letters for a name, 250 arguments, 10000 "
     "operations\n"
     "for an expr and 10000 calls for a composite, with what they call put in.",
     {"- func: "
      "a_name_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_"
      "on_and_on_and_on(Tensor self) -> Tensor\n  expr: -self\n"},
     {"- func: a_name(Tensor self) -> Tensor\n  expr: -self\n"}},
};

}  // namespace

std::span<const Explanation> file_explanations() { return kExplanations; }

}  // namespace opweave::codegen
