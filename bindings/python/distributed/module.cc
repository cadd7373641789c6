// The extension opweave._distributed: what only programs of several processes load.
#include "bindings/python/distributed/store_types.h"

PYBIND11_MODULE(_distributed, module) {
  module.doc() = "The C++ part of opweave.distributed.";
  opweave::python::add_errors(module);
  opweave::python::add_stores(module);
  opweave::python::add_tcp_store(module);
  opweave::python::add_etcd_store(module);
  opweave::python::add_claim(module);
  opweave::python::add_groups(module);
  opweave::python::add_reducer(module);
  opweave::python::add_scheduler(module);
  opweave::python::add_watch(module);
  opweave::python::guard_functions(module);
  opweave::python::hasten_stores(module);
}
