// A communication hook of a library of C++, which Python hands on in a capsule.
#include <Python.h>

#include "opweave/ops/add.h"
#include "runtime/distributed/training/comm_hook.h"

namespace {

using namespace opweave;
using namespace opweave::distributed;

// Twice the average.
class Doubling final : public CommHook {
 public:
  std::unique_ptr<Reduction> start(GradBucket bucket) override {
    return std::make_unique<Twice>(average_->start(std::move(bucket)));
  }

 private:
  struct Twice final : Reduction {
    explicit Twice(std::unique_ptr<Reduction> half) : half(std::move(half)) {}
    Tensor wait() override {
      const Tensor result = half->wait();
      return ops::add_Tensor::call(result, result, Scalar(1));
    }
    Clock::time_point ended() const override { return half->ended(); }
    std::unique_ptr<Reduction> half;
  };
  const std::unique_ptr<CommHook> average_ = average_hook();
};

using Shared = std::shared_ptr<CommHook>;
constexpr const char* kName = "opweave::distributed::CommHook";

void destroy(PyObject* capsule) {
  delete static_cast<Shared*>(PyCapsule_GetPointer(capsule, kName));
}

PyObject* make(PyObject*, PyObject*) {
  return PyCapsule_New(new Shared(std::make_shared<Doubling>()), kName, destroy);
}

PyMethodDef functions[] = {{"make", make, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "doubling_hook",
                          nullptr,
                          0,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_doubling_hook() { return PyModule_Create(&definition); }
