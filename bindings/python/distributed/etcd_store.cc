// EtcdStore as a Python class.
#include "runtime/distributed/store/etcd/etcd_store.h"

#include <pybind11/stl.h>

#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/timeout.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

constexpr const char* kDoc =
    "A store that a cluster of etcd keeps (version 3.4 or later): it outlives any host of a "
    "program.\n\n"
    "Where a member of the cluster fails, another is asked; nothing is written twice. Keys stay "
    "there "
    "when the program ends, so that every run needs a prefix of its own.\n\n"
    "Arguments:\n"
    "    endpoints: members of the cluster, 'host:port', 'http://host:port' or "
    "'https://host:port': a\n"
    "        list, or text with commas between them.\n"
    "    prefix: what all keys of this store begin with in etcd.\n"
    "    timeout: of the first answer, and the store's.\n"
    "    user, password: for a cluster that has users.\n"
    "    ca_cert, cert, cert_key: files in PEM for https: whom to trust, and who this is.\n\n"
    "DistNetworkError where no member answers, DistStoreError where one refuses, ValueError for "
    "what is\n"
    "larger than etcd takes: 1.5 MiB in a request, keys and base64 included.";

using Endpoints = std::variant<std::string, std::vector<std::string>>;
using Text = std::optional<std::string>;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::shared_ptr<EtcdStore> make_store(const Endpoints& endpoints, std::string prefix,
                                      Milliseconds timeout, Text user, Text password, Text ca_cert,
                                      Text cert, Text cert_key) {
  const auto* text = std::get_if<std::string>(&endpoints);
  EtcdOptions options{text != nullptr ? split(*text) : std::get<1>(endpoints),
                      std::move(prefix),
                      user.value_or(""),
                      password.value_or(""),
                      {ca_cert.value_or(""), cert.value_or(""), cert_key.value_or("")}};
  return make_without_gil<EtcdStore>(std::move(options), timeout);
}

}  // namespace

void add_etcd_store(py::module_& module) {
  StoreClass<EtcdStore, Store>(module, "EtcdStore", kDoc)
      .def(py::init(&make_store), py::arg("endpoints"), py::arg("prefix") = "/opweave/store",
           py::arg("timeout") = Store::kDefaultTimeout, py::arg("user") = py::none(),
           py::arg("password") = py::none(), py::arg("ca_cert") = py::none(),
           py::arg("cert") = py::none(), py::arg("cert_key") = py::none())
      .def_property_readonly("prefix", &EtcdStore::prefix, "What all keys begin with.");
}

}  // namespace opweave::python
