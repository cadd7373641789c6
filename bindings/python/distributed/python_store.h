// A store that a Python class implements: it derives from opweave.distributed.Store, and C++ code,
// such as a PrefixStore, calls its methods.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bindings/python/distributed/timeout.h"
#include "runtime/core/base/error.h"
#include "runtime/distributed/store/store.h"

namespace opweave::python {

class PythonStore final : public distributed::Store {
 public:
  using Store::Store;
  using Key = const std::string&;
  using Milliseconds = distributed::Milliseconds;

  std::string describe() const override {
    const pybind11::gil_scoped_acquire gil;
    const pybind11::object self = pybind11::cast(static_cast<const Store*>(this));
    return pybind11::str(pybind11::type::of(self).attr("__name__"));
  }
  std::shared_ptr<Store> clone() override { return call<std::shared_ptr<Store>>("clone"); }
  void set(Key key, Key value) override { call<void>("set", key, bytes(value)); }
  std::string get(Key key) override { return call<std::string>("get", key); }
  int64_t add(Key key, int64_t amount) override { return call<int64_t>("add", key, amount); }
  std::string compare_set(Key key, Key expected, Key desired) override {
    return call<std::string>("compare_set", key, bytes(expected), bytes(desired));
  }
  bool delete_key(Key key) override { return call<bool>("delete_key", key); }
  bool check(const Keys& keys) override { return call<bool>("check", keys); }
  int64_t num_keys() override { return call<int64_t>("num_keys"); }
  void wait(const Keys& keys, Milliseconds timeout) override { call<void>("wait", keys, timeout); }

  bool has_extended_api() const override {
    return has("has_extended_api") && call<bool>("has_extended_api");
  }
  void append(Key key, Key value) override {
    has("append") ? call<void>("append", key, bytes(value)) : Store::append(key, value);
  }
  Values multi_get(const Keys& keys) override {
    return has("multi_get") ? call<Values>("multi_get", keys) : Store::multi_get(keys);
  }
  void multi_set(const Keys& keys, const Values& values) override {
    if (!has("multi_set")) return Store::multi_set(keys, values);
    std::vector<Bytes> all;
    for (Key value : values) all.push_back(bytes(value));
    call<void>("multi_set", keys, all);
  }
  Keys list_keys() override {
    return has("list_keys") ? call<Keys>("list_keys") : Store::list_keys();
  }
  void queue_push(Key key, Key value) override {
    has("queue_push") ? call<void>("queue_push", key, bytes(value)) : Store::queue_push(key, value);
  }
  std::string queue_pop(Key key, bool block) override {
    return has("queue_pop") ? call<std::string>("queue_pop", key, block)
                            : Store::queue_pop(key, block);
  }
  int64_t queue_len(Key key) override {
    return has("queue_len") ? call<int64_t>("queue_len", key) : Store::queue_len(key);
  }

 private:
  // A value on its way to Python: text that becomes bytes where the interpreter lock is held.
  struct Bytes {
    const std::string& text;
  };
  static Bytes bytes(const std::string& text) { return {text}; }
  static pybind11::object argument(Bytes value) { return pybind11::bytes(value.text); }
  static pybind11::object argument(const std::vector<Bytes>& values) {
    pybind11::list all;
    for (const Bytes& value : values) all.append(argument(value));
    return all;
  }
  template <class T>
  static pybind11::object argument(const T& value) {
    return pybind11::cast(value);
  }

  pybind11::function method(const char* name) const {
    return pybind11::get_override(static_cast<const Store*>(this), name);
  }
  bool has(const char* name) const {
    const pybind11::gil_scoped_acquire gil;
    return static_cast<bool>(method(name));
  }
  template <class Result, class... Args>
  Result call(const char* name, const Args&... args) const {
    const pybind11::gil_scoped_acquire gil;
    const pybind11::function python = method(name);
    OW_CHECK_NOT_IMPLEMENTED(python, describe(), " has no method ", name);
    const pybind11::object result = python(argument(args)...);
    try {
      return result.template cast<Result>();
    } catch (const pybind11::cast_error&) {
      OW_THROW(ErrorKind::kType, describe(), ".", name, "() has to return ",
               pybind11::detail::make_caster<Result>::name.text, ", but returned ",
               Py_TYPE(result.ptr())->tp_name);
    }
  }
};

}  // namespace opweave::python
