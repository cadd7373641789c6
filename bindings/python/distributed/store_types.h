// The classes of opweave.distributed that are written in C++.
#pragma once

#include <pybind11/pybind11.h>

namespace opweave::python {

// DistError and those below it, and how C++ errors become them.
void add_errors(pybind11::module_& module);
// Store, which Python classes may derive from; HashStore, FileStore and PrefixStore.
void add_stores(pybind11::module_& module);
void add_tcp_store(pybind11::module_& module);
void add_etcd_store(pybind11::module_& module);
// What the making of groups needs of both.
void add_claim(pybind11::module_& module);
// Work and ProcessGroup.
void add_groups(pybind11::module_& module);
void add_reducer(pybind11::module_& module);
void add_scheduler(pybind11::module_& module);
// The flight record of the process.
void add_watch(pybind11::module_& module);
// Afterwards wrong arguments of what the module has are refused in words of users.
void guard_functions(pybind11::module_& module);
// And after that: stores' methods that are called most take a shorter way.
void hasten_stores(pybind11::module_& module);

}  // namespace opweave::python
