// Store and the stores within one host, as Python classes.
#include <pybind11/stl.h>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/distributed/python_store.h"
#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/timeout.h"
#include "runtime/distributed/store/file_store.h"
#include "runtime/distributed/store/hash_store.h"
#include "runtime/distributed/store/prefix_store.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

using Text = const std::string&;
using Keys = Store::Keys;

py::list to_list(const Store::Values& values) {
  py::list all;
  for (Text value : values) all.append(py::bytes(value));
  return all;
}

void add_values(StoreClass<Store, PythonStore>& store) {
  store
      .def(
          "set", [](Store& s, Text key, Text value) { without_gil([&] { s.set(key, value); }); },
          py::arg("key"), py::arg("value"),
          "Sets a key to a value (text or bytes), whatever it was before.")
      .def(
          "get",
          [](Store& s, Text key) { return py::bytes(without_gil([&] { return s.get(key); })); },
          py::arg("key"),
          "The value of a key, as bytes. Waits for it up to the store's timeout; then "
          "DistStoreError.")
      .def(
          "add",
          [](Store& s, Text key, int64_t amount) {
            return without_gil([&] { return s.add(key, amount); });
          },
          py::arg("key"), py::arg("amount"),
          "Adds to the counter under a key, which begins at 0, and returns the sum. get() returns "
          "it "
          "as text. A value that is no number of 64 bits is a ValueError.")
      .def(
          "compare_set",
          [](Store& s, Text key, Text expected, Text desired) {
            return py::bytes(without_gil([&] { return s.compare_set(key, expected, desired); }));
          },
          py::arg("key"), py::arg("expected_value"), py::arg("desired_value"),
          "Sets a key to desired_value if its value is expected_value, or if it has none and "
          "expected_value is empty. Returns the value afterwards; expected_value where the key is "
          "not there.")
      .def(
          "append",
          [](Store& s, Text key, Text value) { without_gil([&] { s.append(key, value); }); },
          py::arg("key"), py::arg("value"), "Appends to the value of a key, made if there is none.")
      .def(
          "delete_key",
          [](Store& s, Text key) { return without_gil([&] { return s.delete_key(key); }); },
          py::arg("key"), "Deletes a key; returns whether it was there.")
      .def(
          "multi_get",
          [](Store& s, const Keys& keys) {
            return to_list(without_gil([&] { return s.multi_get(keys); }));
          },
          py::arg("keys"), "The values of several keys, in their order; waits as get() does.")
      .def(
          "multi_set",
          [](Store& s, const Keys& keys, const Store::Values& values) {
            without_gil([&] { s.multi_set(keys, values); });
          },
          py::arg("keys"), py::arg("values"), "Sets several keys, each to the value of its place.");
}

void add_keys(StoreClass<Store, PythonStore>& store) {
  store
      .def(
          "check",
          [](Store& s, const Keys& keys) { return without_gil([&] { return s.check(keys); }); },
          py::arg("keys"), "Whether all keys are there, or queues with values; does not wait.")
      .def(
          "wait", [](Store& s, const Keys& keys) { without_gil([&] { s.wait(keys); }); },
          py::arg("keys"),
          "Waits until all keys are there, up to the store's timeout; then DistStoreError.")
      .def(
          "wait",
          [](Store& s, const Keys& keys, Milliseconds timeout) {
            without_gil([&] { s.wait(keys, timeout); });
          },
          py::arg("keys"), py::arg("timeout"),
          "The same up to this timeout, a timedelta or seconds. Zero means to wait for ever.")
      .def(
          "barrier",
          [](Store& s, Text key, int64_t world_size, std::optional<Milliseconds> timeout) {
            without_gil([&] { s.barrier(key, world_size, timeout.value_or(s.timeout())); });
          },
          py::arg("key"), py::arg("world_size"), py::arg("timeout") = py::none(),
          "Waits until world_size callers named this key, up to the timeout (the store's where it "
          "is None). The key can be used again.")
      .def(
          "num_keys", [](Store& s) { return without_gil([&] { return s.num_keys(); }); },
          "The number of keys with values; one more than users set in a FileStore and in a "
          "TCPStore "
          "that counts its workers, which keep a key for themselves.")
      .def(
          "list_keys", [](Store& s) { return without_gil([&] { return s.list_keys(); }); },
          "All keys with values that users set, in no order.");
}

void add_queues(StoreClass<Store, PythonStore>& store) {
  store
      .def(
          "queue_push",
          [](Store& s, Text key, Text value) { without_gil([&] { s.queue_push(key, value); }); },
          py::arg("key"), py::arg("value"),
          "Puts a value at the end of a queue. Queues have names of their own beside keys, but "
          "wait() and check() find both.")
      .def(
          "queue_pop",
          [](Store& s, Text key, bool block) {
            return py::bytes(without_gil([&] { return s.queue_pop(key, block); }));
          },
          py::arg("key"), py::arg("block") = true,
          "Takes the oldest value of a queue. Waits for one up to the store's timeout; with "
          "block=False an empty queue is a QueueEmptyError.")
      .def(
          "queue_len",
          [](Store& s, Text key) { return without_gil([&] { return s.queue_len(key); }); },
          py::arg("key"), "How many values a queue has; 0 where there is none of that name.");
}

void add_settings(StoreClass<Store, PythonStore>& store) {
  store
      .def(
          "clone", [](Store& s) { return without_gil([&] { return s.clone(); }); },
          "Another object for the same keys, with the same timeout.")
      .def("set_timeout", &Store::set_timeout, py::arg("timeout"),
           "Sets how long get(), wait() and the like wait: a timedelta or seconds. Zero means to "
           "wait for ever.")
      .def_property_readonly("timeout", &Store::timeout,
                             "How long get(), wait() and the like wait.")
      .def("has_extended_api", &Store::has_extended_api,
           "Whether there are append, multi_get, multi_set and queues.")
      .def("__repr__", [](const Store& s) { return "<" + s.describe() + ">"; });
}

void add_own_stores(py::module_& module) {
  StoreClass<HashStore, Store>(module, "HashStore", "A store within one process, for its threads.")
      .def(py::init<>());
  StoreClass<FileStore, Store>(
      module, "FileStore",
      "A store in a file. With a world_size the last of so many stores removes the file.")
      .def(py::init(&make_without_gil<FileStore, std::string, int64_t, Milliseconds>),
           py::arg("file_name"), py::arg("world_size") = -1,
           py::arg("timeout") = Store::kDefaultTimeout)
      .def_property_readonly("path", &FileStore::path, "The file.");
  StoreClass<PrefixStore, Store>(
      module, "PrefixStore",
      "Another store, in which all keys begin with a prefix: the key 'k' is its '<prefix>/k'.")
      .def(py::init<std::string, std::shared_ptr<Store>>(), py::arg("prefix"), py::arg("store"),
           // A store that is a Python object is to live as long.
           py::keep_alive<1, 3>())
      .def_property_readonly("underlying_store", &PrefixStore::underlying_store, "The other store.")
      .def_property_readonly("_underlying_non_prefix_store",
                             &PrefixStore::underlying_non_prefix_store,
                             "The store below all prefixes.");
}

// Signals are handled by the first thread of a process alone.
void run_signal_handlers() {
  if (!is_first_thread()) return;
  const AcquireGil gil;
  check(PyErr_CheckSignals());
}

}  // namespace

void add_stores(py::module_& module) {
  StoreClass<Store, PythonStore> store(
      module, "Store",
      "Keys and values that processes share. Classes in Python may derive from it.");
  store.def(py::init<>());
  add_values(store);
  add_keys(store);
  add_queues(store);
  add_settings(store);
  add_own_stores(module);
  set_interrupt_check(run_signal_handlers);
}

}  // namespace opweave::python
