// Import of operator libraries.
#include "bindings/python/core/libraries/operator_library.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/object_class.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "bindings/python/core/overrides/overrides.h"
#include "bindings/python/core/tensor/tensor_type.h"
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
  std::vector<std::string_view> types;  // of objects, that it has declared
};
std::vector<Imported>& imported() {
  static auto* libraries = new std::vector<Imported>;
  return *libraries;
}

std::span<const OperatorPlace> operators_of(const OperatorLibrary& library) {
  return {library.operators, library.num_operators};
}

std::string in_words(const OperatorLibrary& library, const char* place) {
  return place[0] == 0 ? library.name : str(library.name, " (", place, ")");
}

// Where the entry of a function or method is.
const char* place_of(const OperatorLibrary& library, std::string_view function) {
  const auto all = operators_of(library);
  const auto found = std::ranges::find(all, function, &OperatorPlace::function);
  return found == all.end() ? "" : found->place;
}

// A function of _library_names.py, called with these arguments.
template <class... Arguments>
PyPtr of_names(const char* function, const char* format, Arguments... arguments) {
  const PyPtr names = PyPtr::steal(check(PyImport_ImportModule("opweave._library_names")));
  return PyPtr::steal(
      check(interpreted(PyObject_CallMethod, names.get(), function, format, arguments...)));
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

bool has_operator(const OperatorLibrary& library, std::string_view name) {
  return std::ranges::find(operators_of(library), name, &OperatorPlace::name) !=
         operators_of(library).end();
}

void check_operators(const OperatorLibrary& library) {
  const auto old = former(library);
  for (const OperatorPlace& op : operators_of(library)) {
    if (find_operator(op.name) == nullptr ||
        (old != imported().end() && has_operator(*old->library, op.name)))
      continue;
    refuse(str("the operator '", op.name, "' of ", in_words(library, op.place),
               " is already one of ", whose_operator(op.name), ": give it another name"));
  }
}

// Where functions of a `python_module` are for users: `opweave.linalg`, if there is that module;
// `nn` has its in a private one, as PyTorch does.
PyPtr home_for_users(std::string_view module) {
  if (!module.empty() && module != "nn" && module != "nn_functional") {
    PyObject* found = interpreted(PyImport_ImportModule, str("opweave.", module).c_str());
    if (found != nullptr) return PyPtr::steal(found);
    if (!PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) throw_python_exception();
    PyErr_Clear();
    return PyPtr::borrow(check(PyImport_AddModule(home_of(module).c_str())));
  }
  return PyPtr::steal(check(interpreted(PyImport_ImportModule, home_of(module).c_str())));
}

// There `linalg_norm` is called `norm`.
const char* name_there(std::string_view module, const char* name) {
  const bool longer = !module.empty() && std::string_view(name).starts_with(str(module, "_"));
  return longer ? name + module.size() + 1 : name;
}

// What a library adds to Python, and where.
class Additions final : public BindingSink {
 public:
  explicit Additions(const OperatorLibrary& library) : library_(library) {
    library.register_bindings(*this);
  }

  // Of objects.
  std::vector<std::string_view> types() const {
    std::vector<std::string_view> names;
    for (const ObjectClass& type : classes_) names.emplace_back(type.name);
    return names;
  }
  // Schemas name types without a library: values of one are not those of another.
  void check_types() const {
    for (const std::string_view type : types()) {
      for (const Imported& other : imported()) {
        if (std::string_view(other.library->name) == library_.name ||
            std::ranges::find(other.types, type) == other.types.end())
          continue;
        refuse(str("the type of objects '", type, "' of ", library_.name, " is already one of ",
                   other.library->name, ": give it another name"));
      }
    }
  }
  // That nothing else than libraries has functions and methods of these names.
  void check_names() const {
    for (const Addition& added : added_) {
      of_names("check", "ssOs", library_.name, added.name, added.where.get(),
               place_of(library_, added.def->ml_name));
    }
  }
  // Makes them there, and what is a function or a class one of the module.
  void add(PyObject* module) const {
    for (const Addition& added : added_) {
      const PyPtr made = object_of(added);
      (added.method ? register_method_site : register_function_site)(made.get(),
                                                                     added.def->ml_meth);
      of_names("add", "ssOsO", library_.name, added.name, added.where.get(),
               place_of(library_, added.def->ml_name), made.get());
      if (!added.method) check(PyObject_SetAttrString(module, added.def->ml_name, made.get()));
    }
    for (const ObjectClass& type : classes_) add_object_class(module, type);
  }

  void functions(const char* module, PyMethodDef* defs) override {
    const PyPtr where = home_for_users(module);
    for (; defs->ml_name != nullptr; ++defs)
      added_.push_back({where, name_there(module, defs->ml_name), defs, /*method=*/false});
  }
  void methods(PyMethodDef* defs) override {
    const PyPtr where = PyPtr::borrow(reinterpret_cast<PyObject*>(tensor_class));
    for (; defs->ml_name != nullptr; ++defs)
      added_.push_back({where, defs->ml_name, defs, /*method=*/true});
  }
  void object(const ObjectClass& type) override { classes_.push_back(type); }

 private:
  struct Addition {
    PyPtr where;
    const char* name;  // there
    PyMethodDef* def;
    bool method;
  };

  static PyPtr object_of(const Addition& added) {
    return PyPtr::steal(check(added.method ? PyDescr_NewMethod(&tensor_base_type, added.def)
                                           : PyCFunction_NewEx(added.def, nullptr, nullptr)));
  }

  const OperatorLibrary& library_;
  std::vector<Addition> added_;
  std::vector<ObjectClass> classes_;
};

void retire_former(const OperatorLibrary& library) {
  const auto old = former(library);
  if (old == imported().end()) return;
  of_names("remove", "s", library.name);
  for (const OperatorPlace& op : operators_of(*old->library)) {
    if (const OperatorEntry* entry = find_operator(op.name)) unregister_operator(*entry);
  }
  imported().erase(old);
}

void register_all(const OperatorLibrary& library) {
  library.register_operators();
  library.register_cpu_kernels(backend_key(kCPU));
  library.register_meta_kernels(backend_key(kMeta));
  const PyPtr operators = PyPtr::steal(check(PyList_New(0)));
  for (const OperatorPlace& op : operators_of(library)) {
    const PyPtr pair = PyPtr::steal(check(Py_BuildValue("ss", op.name, op.place)));
    check(PyList_Append(operators.get(), pair.get()));
  }
  of_names("note_operators", "sOi", library.name, operators.get(), /*stable=*/0);
}

}  // namespace

PyObject* import_operator_library(const OperatorLibrary& library) noexcept try {
  for (const Imported& other : imported()) {
    if (other.library == &library) return Py_NewRef(other.module);
  }
  check_version(library);
  const PyPtr opweave = PyPtr::steal(check(PyImport_ImportModule("opweave")));
  of_names("check_library", "si", library.name, /*stable=*/0);
  const Additions additions(library);
  check_operators(library);
  additions.check_types();
  additions.check_names();
  retire_former(library);
  // One for each library; Python keeps it until the process ends.
  auto* definition =
      new PyModuleDef{PyModuleDef_HEAD_INIT, library.name, /*m_doc=*/nullptr, /*m_size=*/-1};
  PyPtr module = PyPtr::steal(check(PyModule_Create(definition)));
  register_all(library);
  additions.add(module.get());
  imported().push_back({&library, Py_NewRef(module.get()), additions.types()});
  return module.release();
} catch (...) {
  return set_python_error();
}

std::string whose_operator(std::string_view name) {
  const std::string asked(name);
  const PyPtr words = of_names("whose", "s", asked.c_str());
  return std::string(to_string_view(words.get()));
}

}  // namespace opweave::python
