// TCPStore as a Python class.
#include "runtime/distributed/store/tcp_store.h"

#include <pybind11/stl.h>

#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/timeout.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

constexpr const char* kDoc =
    "A store that one process, the master, serves in a thread, and that others reach by its host "
    "and "
    "port.\n\n"
    "Arguments:\n"
    "    host_name: where the server is. The master listens on an address of this host and no "
    "other.\n"
    "    port: its port; for the master 0 means one that is free.\n"
    "    world_size: how many stores there will be, the master's included; None if nobody knows.\n"
    "    is_master: whether this store has the server.\n"
    "    timeout: of connecting, and the store's.\n"
    "    wait_for_workers: the master waits until world_size stores are connected.\n"
    "    multi_tenant: masters of one process with the same port share a server.\n"
    "    master_listen_fd: a socket that listens already, which the store takes over.\n"
    "    use_libuv: taken for PyTorch's sake; there is one kind of server.\n"
    "    secret: who does not know it can neither read nor write. It is never sent: both sides "
    "prove "
    "that they know it by an HMAC-SHA256 of numbers that are used once.";

std::shared_ptr<TCPStore> make_store(std::string host, int64_t port,
                                     std::optional<int64_t> world_size, bool is_master,
                                     Milliseconds timeout, bool wait_for_workers, bool multi_tenant,
                                     std::optional<int> master_listen_fd, bool /* use_libuv */,
                                     std::optional<std::string> secret) {
  OW_CHECK_VALUE(port >= 0 && port <= UINT16_MAX,
                 "TCPStore(): port has to be a number from 0 to 65535, but is ", port);
  return make_without_gil<TCPStore>(
      TCPStoreOptions{std::move(host), static_cast<uint16_t>(port), world_size, is_master, timeout,
                      wait_for_workers, multi_tenant, master_listen_fd, secret.value_or("")});
}

}  // namespace

void add_tcp_store(py::module_& module) {
  StoreClass<TCPStore, Store>(module, "TCPStore", kDoc)
      .def(py::init(&make_store), py::arg("host_name"), py::arg("port"),
           py::arg("world_size") = py::none(), py::arg("is_master") = false,
           py::arg("timeout") = Store::kDefaultTimeout, py::arg("wait_for_workers") = true,
           py::arg("multi_tenant") = false, py::arg("master_listen_fd") = py::none(),
           py::arg("use_libuv") = true, py::arg("secret") = py::none())
      .def_property_readonly("host", &TCPStore::host, "The host that was given.")
      .def_property_readonly("port", &TCPStore::port, "The port of the server.")
      .def_property_readonly("_place", &TCPStore::place)
      .def_property_readonly(
          "libuvBackend", [](const TCPStore&) { return false; },
          "Whether the server is made with libuv: no, it uses epoll directly.");
}

}  // namespace opweave::python
