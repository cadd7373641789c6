// Import of operator libraries.
#include "bindings/python/core/libraries/operator_library.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/object_class.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/tensor/tensor_object.h"
#include "runtime/dispatch/registry.h"

namespace opweave::python {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  PyErr_SetString(PyExc_ImportError, why.c_str());
  throw_python_exception();
}

// Libraries stay until the process ends, and so do these.
struct Imported {
  const OperatorLibrary* library;
  PyObject* module;
};
std::vector<Imported>& imported() {
  static auto* libraries = new std::vector<Imported>;
  return *libraries;
}

struct Owner {
  const char* library;
  const char* place;
};

Owner owner_of(std::string_view operator_name) {
  for (const Imported& other : imported()) {
    for (size_t i = 0; i < other.library->num_operators; ++i) {
      const OperatorPlace& op = other.library->operators[i];
      if (op.name == operator_name) return {other.library->name, op.place};
    }
  }
  return {"opweave", ""};
}

std::string in_words(const Owner& owner) {
  return owner.place[0] == 0 ? owner.library : str(owner.library, " (", owner.place, ")");
}

// Where the entry of a function or method is that a library has.
Owner own(const OperatorLibrary& library, std::string_view function) {
  for (size_t i = 0; i < library.num_operators; ++i) {
    const std::string_view name = library.operators[i].name;
    if (name.substr(0, name.find('.')) == function)
      return {library.name, library.operators[i].place};
  }
  return {library.name, ""};
}

void check_version(const OperatorLibrary& library) {
  if (library.version >= OperatorLibrary::kLeastVersion &&
      library.version <= OperatorLibrary::kVersion)
    return;
  refuse(str("the operator library '", library.name, "' was built for version ", library.version,
             " of the interface of libraries, this opweave knows ", OperatorLibrary::kLeastVersion,
             " to ", OperatorLibrary::kVersion, ": build it again"));
}

// What was imported under the name before: a program may change a library and build it again.
std::vector<Imported>::iterator former(const OperatorLibrary& library) {
  return std::ranges::find_if(imported(), [&](const Imported& other) {
    return std::string_view(other.library->name) == library.name;
  });
}

void check_operators(const OperatorLibrary& library) {
  for (size_t i = 0; i < library.num_operators; ++i) {
    const OperatorPlace& op = library.operators[i];
    if (find_operator(op.name) == nullptr ||
        std::string_view(owner_of(op.name).library) == library.name)
      continue;
    refuse(str("the operator '", op.name, "' of ", in_words({library.name, op.place}),
               " is already one of ", whose_operator(op.name), ": give it another name"));
  }
}

// What a library adds to Python, and where.
class NamedSink : public BindingSink {
 public:
  void functions(const char* module, PyMethodDef* defs) final {
    const PyPtr target = PyPtr::steal(check(PyImport_ImportModule(path_of(module).c_str())));
    for (; defs->ml_name != nullptr; ++defs) function(target.get(), defs);
  }
  void methods(PyMethodDef* defs) final {
    for (; defs->ml_name != nullptr; ++defs) method(defs);
    PyType_Modified(&tensor_base_type);
  }

 protected:
  virtual void function(PyObject* target, PyMethodDef* def) = 0;
  virtual void method(PyMethodDef* def) = 0;

 private:
  // nn.functional was filled at its import.
  static std::string path_of(std::string_view module) {
    if (module == "nn_functional") return "opweave.nn.functional";
    return module.empty() ? "opweave" : str("opweave._C._", module);
  }
};

bool is_function_of(PyObject* object, const PyMethodDef* def) {
  if (PyCFunction_Check(object)) return reinterpret_cast<PyCFunctionObject*>(object)->m_ml == def;
  return Py_IS_TYPE(object, &PyMethodDescr_Type) &&
         reinterpret_cast<PyMethodDescrObject*>(object)->d_method == def;
}

// Takes away what a library added.
class RemovingSink final : public NamedSink {
 public:
  void object(const ObjectClass&) override {}

 private:
  void function(PyObject* target, PyMethodDef* def) override {
    const PyPtr now = PyPtr::steal(PyObject_GetAttrString(target, def->ml_name));
    if (now.get() == nullptr) return PyErr_Clear();
    if (is_function_of(now.get(), def)) check(PyObject_DelAttrString(target, def->ml_name));
  }
  void method(PyMethodDef* def) override {
    PyObject* now = PyDict_GetItemString(tensor_base_type.tp_dict, def->ml_name);
    if (now != nullptr && is_function_of(now, def))
      check(PyDict_DelItemString(tensor_base_type.tp_dict, def->ml_name));
  }
};

class AddedSink final : public NamedSink {
 public:
  bool has(const PyObject* target, std::string_view name) const {
    return std::ranges::any_of(
        names_, [&](const auto& added) { return added.first == target && added.second == name; });
  }
  void object(const ObjectClass&) override {}

 private:
  void function(PyObject* target, PyMethodDef* def) override {
    names_.emplace_back(target, def->ml_name);
  }
  void method(PyMethodDef* def) override {
    names_.emplace_back(reinterpret_cast<PyObject*>(&tensor_base_type), def->ml_name);
  }

  std::vector<std::pair<const PyObject*, std::string>> names_;
};

class CheckingSink final : public NamedSink {
 public:
  CheckingSink(const OperatorLibrary& library, const AddedSink& former)
      : library_(library), former_(former) {}
  void object(const ObjectClass&) override {}

 private:
  void function(PyObject* target, PyMethodDef* def) override { refuse_existing(target, def); }
  void method(PyMethodDef* def) override {
    refuse_existing(reinterpret_cast<PyObject*>(&tensor_base_type), def);
  }
  void refuse_existing(PyObject* target, const PyMethodDef* def) const {
    if (former_.has(target, def->ml_name) || !PyObject_HasAttrString(target, def->ml_name)) return;
    refuse(str("the function or method '", def->ml_name, "' of ",
               in_words(own(library_, def->ml_name)), " is already one of ",
               whose_operator(def->ml_name), ": give the operator another name"));
  }

  const OperatorLibrary& library_;
  const AddedSink& former_;
};

class LibrarySink final : public NamedSink {
 public:
  explicit LibrarySink(PyObject* module) : module_(module) {}
  void object(const ObjectClass& type) override { add_object_class(module_, type); }

 private:
  void function(PyObject* target, PyMethodDef* def) override {
    const PyPtr function = PyPtr::steal(check(PyCFunction_NewEx(def, nullptr, nullptr)));
    check(PyObject_SetAttrString(target, def->ml_name, function.get()));
    check(PyObject_SetAttrString(module_, def->ml_name, function.get()));
  }
  void method(PyMethodDef* def) override {
    const PyPtr method = PyPtr::steal(check(PyDescr_NewMethod(&tensor_base_type, def)));
    check(PyDict_SetItemString(tensor_base_type.tp_dict, def->ml_name, method.get()));
  }

  PyObject* module_;
};

// Nothing is registered if it throws.
void check_library(const OperatorLibrary& library) {
  check_version(library);
  check_operators(library);
  AddedSink added;
  if (const auto old = former(library); old != imported().end())
    old->library->register_bindings(added);
  CheckingSink names(library, added);
  library.register_bindings(names);
}

void retire_former(const OperatorLibrary& library) {
  const auto old = former(library);
  if (old == imported().end()) return;
  RemovingSink names;
  old->library->register_bindings(names);
  for (size_t i = 0; i < old->library->num_operators; ++i) {
    if (const OperatorEntry* entry = find_operator(old->library->operators[i].name))
      unregister_operator(*entry);
  }
  imported().erase(old);
}

}  // namespace

PyObject* import_operator_library(const OperatorLibrary& library) noexcept try {
  for (const Imported& other : imported()) {
    if (other.library == &library) return Py_NewRef(other.module);
  }
  const PyPtr opweave = PyPtr::steal(check(PyImport_ImportModule("opweave")));
  check_library(library);
  retire_former(library);
  // One for each library; Python keeps it until the process ends.
  auto* definition =
      new PyModuleDef{PyModuleDef_HEAD_INIT, library.name, /*m_doc=*/nullptr, /*m_size=*/-1};
  PyPtr module = PyPtr::steal(check(PyModule_Create(definition)));
  library.register_operators();
  library.register_cpu_kernels(backend_key(kCPU));
  library.register_meta_kernels(backend_key(kMeta));
  LibrarySink sink(module.get());
  library.register_bindings(sink);
  imported().push_back({&library, Py_NewRef(module.get())});
  return module.release();
} catch (...) {
  return set_python_error();
}

std::string whose_operator(std::string_view name) {
  const PyPtr names = PyPtr::steal(check(PyImport_ImportModule("opweave._library_names")));
  const PyPtr asked = PyPtr::steal(
      check(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()))));
  const PyPtr words =
      PyPtr::steal(check(interpreted(PyObject_CallMethod, names.get(), "whose", "O", asked.get())));
  return std::string(to_string_view(words.get()));
}

PyObject* operator_owner(PyObject*, PyObject* name) noexcept try {
  const std::string_view wanted = to_string_view(name);
  for (const Imported& other : imported()) {
    for (size_t i = 0; i < other.library->num_operators; ++i) {
      const OperatorPlace& op = other.library->operators[i];
      const std::string_view full_name = op.name;
      if (full_name == wanted || full_name.substr(0, full_name.find('.')) == wanted)
        return check(Py_BuildValue("ss", other.library->name, op.place));
    }
  }
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* library_operators(PyObject*, PyObject* name) noexcept try {
  const std::string_view wanted = to_string_view(name);
  for (const Imported& other : imported()) {
    if (other.library->name != wanted) continue;
    PyPtr names = PyPtr::steal(check(PyList_New(0)));
    for (size_t i = 0; i < other.library->num_operators; ++i) {
      const char* text = other.library->operators[i].name;
      const PyPtr full_name = PyPtr::steal(check(PyUnicode_FromString(text)));
      check(PyList_Append(names.get(), full_name.get()));
    }
    return names.release();
  }
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python
