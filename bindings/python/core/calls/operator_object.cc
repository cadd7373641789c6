// _C._Operator: one operator of the registry as a Python callable, called with boxed arguments.
#include "bindings/python/core/calls/operator_object.h"

#include <memory>
#include <new>
#include <unordered_map>

#include "bindings/python/core/calls/boxed_face.h"
#include "bindings/python/core/calls/python_kernel.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/interpreted.h"
#include "runtime/dispatch/registry.h"
#include "runtime/dispatch/runtime_record.h"

namespace opweave::python {
namespace {

struct OperatorObject {
  PyObject_HEAD;
  vectorcallfunc call;
  OperatorEntry* entry;
  const BoxedFace* schema;
};
extern PyTypeObject operator_type;

OperatorObject* as_operator(PyObject* o) { return reinterpret_cast<OperatorObject*>(o); }

PyObject* call_operator(PyObject* self, PyObject* const* args, size_t nargsf,
                        PyObject* kwnames) try {
  const OperatorObject* op = as_operator(self);
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  const Arguments a(op->schema->function(), nullptr, args, nargs, kwnames);
  Stack stack = op->schema->to_stack(a);
  {
    const ReleaseGil unlocked;
    op->entry->call(stack);
  }
  return wrap_results(stack);
} catch (...) {
  return set_python_error(plain_name(as_operator(self)->entry->def().name));
}

PyObject* to_text(std::string_view text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}
PyObject* get_name(PyObject* self, void*) try {
  return to_text(as_operator(self)->entry->def().name);
} catch (...) {
  return set_python_error();
}
PyObject* get_overload(PyObject* self, void*) try {
  return to_text(as_operator(self)->entry->def().overload);
} catch (...) {
  return set_python_error();
}
PyObject* get_schema(PyObject* self, void*) try {
  return to_text(as_operator(self)->entry->def().schema);
} catch (...) {
  return set_python_error();
}

// Objects of one operator are alike.
Py_hash_t hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(as_operator(self)->entry) >> 4);
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  if (Py_TYPE(other) != &operator_type || (operation != Py_EQ && operation != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  const bool same = as_operator(self)->entry == as_operator(other)->entry;
  return wrap(same == (operation == Py_EQ));
}

// --- the record, as tuples of dicts --------------------------------------------------------------

constexpr const char* kRoles[] = {"",     "dim",   "dims_or_all", "order",      "new_dim",
                                  "size", "index", "training",    "probability"};

PyPtr described(std::string_view name, const TypeRecord& type) {
  PyPtr dict = PyPtr::steal(check(PyDict_New()));
  const auto set = [&](const char* key, PyObject* value) {
    check(PyDict_SetItemString(dict.get(), key, PyPtr::steal(check(value)).get()));
  };
  set("name", to_text(name));
  set("type", to_text(type_text(type)));
  set("alias", type.alias == 0 ? none() : to_text({&type.alias, 1}));
  set("written", wrap(type.written));
  return dict;
}

PyPtr described(const ArgumentRecord& argument) {
  PyPtr dict = described(argument.name, argument.type);
  const bool given = !argument.default_value.empty();
  const auto set = [&](const char* key, PyObject* value) {
    check(PyDict_SetItemString(dict.get(), key, PyPtr::steal(check(value)).get()));
  };
  set("has_default", wrap(given));
  set("default", given ? wrap(default_of(argument)) : none());
  set("keyword_only", wrap(argument.keyword_only));
  set("role", to_text(kRoles[static_cast<size_t>(argument.role)]));
  return dict;
}

template <class List, class Describe>
PyObject* tuple_of(const List& list, Describe describe) {
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(list.size()))));
  for (size_t i = 0; i < list.size(); ++i) {
    detail::set_item(tuple.get(), i, describe(list[i]).release());
  }
  return tuple.release();
}

PyObject* get_arguments(PyObject* self, void*) try {
  return tuple_of(as_operator(self)->entry->record().arguments,
                  [](const ArgumentRecord& a) { return described(a); });
} catch (...) {
  return set_python_error();
}
PyObject* get_returns(PyObject* self, void*) try {
  return tuple_of(as_operator(self)->entry->record().returns,
                  [](const ReturnRecord& r) { return described(r.name, r.type); });
} catch (...) {
  return set_python_error();
}
// Of operators that Python defined; no schema says them.
std::unordered_map<const OperatorEntry*, PyPtr>& given_tags() {
  static auto* tags = new std::unordered_map<const OperatorEntry*, PyPtr>;
  return *tags;
}

PyObject* get_tags(PyObject* self, void*) try {
  const OperatorEntry* entry = as_operator(self)->entry;
  if (const auto given = given_tags().find(entry); given != given_tags().end())
    return Py_NewRef(given->second.get());
  return tuple_of(entry->record().tags,
                  [](std::string_view tag) { return PyPtr::steal(check(to_text(tag))); });
} catch (...) {
  return set_python_error();
}

// _set_tags(tuple)
PyObject* set_tags(PyObject* self, PyObject* tags) try {
  OW_CHECK_TYPE(PyTuple_Check(tags), "tags are a tuple, not ", type_name(tags));
  given_tags()[as_operator(self)->entry] = PyPtr::steal(Py_NewRef(tags));
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* repr(PyObject* self) try {
  return PyUnicode_FromString(
      str("<operator '", as_operator(self)->entry->full_name(), "'>").c_str());
} catch (...) {
  return set_python_error();
}

PyObject* has_kernel(PyObject* self, PyObject* key) try {
  OW_CHECK_TYPE(PyUnicode_Check(key), "a dispatch key is a str, not ", type_name(key));
  return wrap(as_operator(self)->entry->has_kernel(parse_key(to_string_view(key))));
} catch (...) {
  return set_python_error();
}

// _set_kernel(key, function) -> a capsule that restores what was there when it is destroyed.
PyObject* set_kernel(PyObject* self, PyObject* args) try {
  const char* key_text;
  PyObject* function;
  if (PyArg_ParseTuple(args, "sO", &key_text, &function) == 0) return nullptr;
  OperatorEntry& entry = *as_operator(self)->entry;
  return install_python_kernel(entry, *as_operator(self)->schema, parse_key(key_text), function);
} catch (...) {
  return set_python_error();
}

// --- kernels that are kept --------------------------------------------------------------------

using Kept = OperatorEntry::SavedKernel;
constexpr const char* kKept = "opweave.kernel";

void free_kept(PyObject* capsule) {
  delete static_cast<Kept*>(PyCapsule_GetPointer(capsule, kKept));
}

// _keep_kernel(key) -> a capsule that holds what is registered for the key now; None for nothing.
PyObject* keep_kernel(PyObject* self, PyObject* key) try {
  const OperatorEntry& entry = *as_operator(self)->entry;
  OW_CHECK_TYPE(PyUnicode_Check(key), "a dispatch key is a str, not ", type_name(key));
  const DispatchKey parsed = parse_key(to_string_view(key));
  if (!entry.has_kernel(parsed)) return none();
  auto kept = std::make_unique<Kept>(entry.save_kernel(parsed));
  PyObject* capsule = check(PyCapsule_New(kept.get(), kKept, free_kept));
  kept.release();  // the capsule's
  return capsule;
} catch (...) {
  return set_python_error();
}

void call(const Kept& kept, const OperatorEntry& entry, DispatchKeySet keys, Stack& stack) {
  if (kept.boxed != nullptr) return (*kept.boxed)(entry, keys, stack);
  entry.def().call_boxed(kept.kernel, stack);
}

// _call_kept(capsule, bits of the keys, ...): the kernel with these arguments.
PyObject* call_kept(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                    PyObject* kwnames) try {
  const OperatorObject* op = as_operator(self);
  OW_CHECK_TYPE(nargs >= 2, "_call_kept() takes a kernel and keys before the arguments");
  const auto* kept = static_cast<Kept*>(PyCapsule_GetPointer(args[0], kKept));
  if (kept == nullptr) return nullptr;
  const auto keys = DispatchKeySet::from_bits(PyLong_AsUnsignedLongLong(args[1]));
  if (PyErr_Occurred() != nullptr) return nullptr;
  const Arguments a(op->schema->function(), nullptr, args + 2, nargs - 2, kwnames);
  Stack stack = op->schema->to_stack(a);
  {
    const ReleaseGil unlocked;
    call(*kept, *op->entry, keys, stack);
  }
  return wrap_results(stack);
} catch (...) {
  return set_python_error(plain_name(as_operator(self)->entry->def().name));
}

using WithKeywords = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyCFunction with_keywords(WithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"has_kernel", has_kernel, METH_O, "Whether there is a kernel for a dispatch key."},
    {"_set_tags", set_tags, METH_O, nullptr},
    {"_keep_kernel", keep_kernel, METH_O, nullptr},
    {"_call_kept", with_keywords(call_kept), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_set_kernel", set_kernel, METH_VARARGS, nullptr},
    {}};
PyGetSetDef getset[] = {{"name", get_name, nullptr, nullptr, nullptr},
                        {"overload", get_overload, nullptr, nullptr, nullptr},
                        {"schema", get_schema, nullptr, nullptr, nullptr},
                        {"arguments", get_arguments, nullptr, nullptr, nullptr},
                        {"returns", get_returns, nullptr, nullptr, nullptr},
                        {"tags", get_tags, nullptr, nullptr, nullptr},
                        {}};

// What PyTorch's operators have beside these names is what the operator's face has.
PyObject* get_attribute(PyObject* self, PyObject* name) try {
  PyObject* own = PyObject_GenericGetAttr(self, name);
  if (own != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return own;
  PyErr_Clear();
  const PyPtr faces = PyPtr::steal(check(PyImport_ImportModule("opweave._ops")));
  return check(interpreted(PyObject_CallMethod, faces.get(), "face_attribute", "OO", self, name));
} catch (...) {
  return set_python_error();
}

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_getattro = get_attribute;
  type.tp_name = "opweave._C._Operator";
  type.tp_basicsize = sizeof(OperatorObject);
  type.tp_repr = repr;
  type.tp_hash = hash;
  type.tp_richcompare = compare;
  type.tp_call = PyVectorcall_Call;
  type.tp_vectorcall_offset = offsetof(OperatorObject, call);
  type.tp_flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}
PyTypeObject operator_type = make_type();

}  // namespace

const BoxedFace& schema_of(const OperatorEntry& entry) {
  static auto* schemas = new std::unordered_map<const OperatorEntry*, std::unique_ptr<BoxedFace>>;
  std::unique_ptr<BoxedFace>& schema = (*schemas)[&entry];
  if (schema == nullptr) schema = std::make_unique<BoxedFace>(entry.def());
  return *schema;
}

PyObject* wrap(OperatorEntry& entry) {
  const BoxedFace& schema = schema_of(entry);
  auto* self = PyObject_New(OperatorObject, &operator_type);
  check(reinterpret_cast<PyObject*>(self));
  self->call = call_operator;
  self->entry = &entry;
  self->schema = &schema;
  return reinterpret_cast<PyObject*>(self);
}

PyObject* wrap_results(const Stack& stack) {
  if (stack.empty()) return none();
  if (stack.size() == 1) return wrap(stack[0]);
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(stack.size()))));
  for (size_t i = 0; i < stack.size(); ++i) detail::set_item(tuple.get(), i, wrap(stack[i]));
  return tuple.release();
}

void add_operator_type(PyObject* module) {
  check(PyType_Ready(&operator_type));
  check(PyModule_AddObjectRef(module, "_Operator", reinterpret_cast<PyObject*>(&operator_type)));
}

}  // namespace opweave::python
