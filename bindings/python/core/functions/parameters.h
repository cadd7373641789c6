// The tables that describe a Python function's overloads, and the matching of a call against them.
//
// A function of opweave is one C function `PyObject* f(self, args, nargs, kwnames)` (METH_FASTCALL
// | METH_KEYWORDS) that serves opweave.f, where `self` is null, and Tensor.f. The generator prints
// for each base name:
//   - which operators are its overloads, the functional and the out= form of PyTorch being one
//     overload with a parameter `out`; a function of nn.functional that has parameters of its own
//     has a table of them;
//   - the C function: a fast path for calls with nothing but tensors, then
//     `Arguments a(function, self, args, nargs, kwnames)` and a case per overload that reads the
//     arguments and calls the operator.
// A table costs no code per operator; matching a call of n arguments costs some 3n ns. Tables of
// operators are made of their records (operator_face.h) when they are first needed.
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace opweave {
class OperatorEntry;
}

namespace opweave::python {

// What a parameter accepts; the comment names the schema type.
enum class Kind : uint8_t {
  kTensor,          // Tensor
  kTensorOrNumber,  // Tensor, of an operator that also takes Python numbers for tensors
  kTensorList,      // Tensor[], Tensor?[]; and out= of operators with several results
  kScalar,          // Scalar
  kInt,             // int, SymInt
  kIntList,         // int[], SymInt[]
  kDouble,          // float
  kDoubleList,      // float[]
  kBool,            // bool
  kBoolArray,       // bool[N]
  kString,          // str
  kDtype,           // ScalarType
  kLayout,          // Layout
  kDevice,          // Device
  kMemoryFormat,    // MemoryFormat
  kOpaque,          // Generator, and other types of objects: Param::object
  kObject,          // anything; for handwritten functions
};

// Flags of a parameter.
inline constexpr uint8_t kOptional = 1;       // has a default
inline constexpr uint8_t kNone = 2;           // None is a value of it (schema type with `?`)
inline constexpr uint8_t kKeyword = 4;        // after the `*`
inline constexpr uint8_t kOut = 8;            // out=: functions have it, methods do not
inline constexpr uint8_t kNoneInList = 16;    // elements of a list may be None (`Tensor?[]`)
inline constexpr uint8_t kChosenDevice = 32;  // left out, it is what set_default_device() was told

struct Param {
  std::string_view name;  // as in Python: the schema's `self` is "input"
  Kind kind;
  uint8_t flags = 0;
  uint8_t length = 0;  // N of `int[N]`, `bool[N]`, and the number of tensors in out=
  std::string_view default_text = {};  // as in Python, "1", "None": for messages
  std::string_view object = {};        // of kOpaque: the name of the type in schemas
};

inline constexpr int kMaxParams = 24;

struct Overload {
  std::span<const Param> params;  // positional ones first
  bool method = true;             // false for overloads that exist as functions only
  bool function = true;           // false for overloads that exist as methods only (new_zeros)
  // The parameter that is the tensor left of the dot in a method call. Not 0 where the schema has
  // `self` elsewhere: where(condition, self, other).
  uint8_t self = 0;
};

struct Function {
  std::string_view name;
  std::span<const Overload> overloads;  // in the order in which they are tried
};

// An overload as the generator prints it.
struct OperatorOverload {
  const OperatorEntry* op = nullptr;   // what its record says are the parameters, …
  std::span<const Param> params = {};  // … unless they are its own
  bool method = true;
  bool function = true;
  uint8_t self = 0;  // where the parameters are its own
};

// A Function whose overloads are made of operators' records at the first call that is matched.
class OperatorFunction {
 public:
  constexpr OperatorFunction(std::string_view name, std::span<const OperatorOverload> overloads)
      : name_(name), overloads_(overloads) {}

  constexpr std::string_view name() const { return name_; }
  // Under the interpreter lock.
  const Function& face() {
    if (face_ == nullptr) [[unlikely]]
      make_face();
    return *face_;
  }

 private:
  void make_face();

  std::string_view name_;
  std::span<const OperatorOverload> overloads_;
  const Function* face_ = nullptr;
};

// A call of a Function: finds the first overload that the arguments fit, and holds the arguments in
// the order of its parameters. Throws TypeError in PyTorch's words when none fits.
class BoundCall {
 public:
  BoundCall(const Function& function, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
            PyObject* kwnames);
  BoundCall(OperatorFunction& function, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
            PyObject* kwnames)
      : BoundCall(function.face(), self, args, nargs, kwnames) {}

  // The index of the overload in function.overloads.
  int overload() const { return overload_; }
  // Whether the caller passed parameter i; None counts as not passed.
  bool given(int i) const { return slots_[i] != nullptr && slots_[i] != Py_None; }
  // Parameter i as it was passed, borrowed; null when it was not.
  PyObject* object(int i) const { return slots_[i]; }

 protected:
  struct Call;
  friend struct Matcher;

  const Function& function_;
  const Param* params_ = nullptr;
  int overload_ = 0;
  // view(2, 3): the integers that parameter varargs_param_ is made of.
  int varargs_param_ = -1;
  std::span<PyObject* const> varargs_;
  PyObject* slots_[kMaxParams];
};

}  // namespace opweave::python
