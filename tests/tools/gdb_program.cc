// What gdb is asked to print, by gdb_test.py.
#include "runtime/core/tensor/tensor.h"
#include "runtime/dispatch/ivalue.h"

using namespace opweave;

// gdb stops here, and looks at the variables of main.
[[gnu::noinline]] void look(const Tensor& tensor, const Stack& stack) {
  asm volatile("" : : "r"(&tensor), "r"(&stack));
}

int main() {
  const Tensor tensor = make_tensor({2, 4}, kFloat, Device(kMeta));
  const Tensor view = make_alias(tensor, {1, 1, 1, 1, 3, 2}, {0, 0, 0, 0, 1, 3}, 1);
  const Tensor undefined;
  [[maybe_unused]] const DispatchKeySet keys = DispatchKeySet(backend_key(kCPU)) | backend_key(7) |
                                               DispatchKey::kAutograd |
                                               static_cast<DispatchKey>(40);
  const Stack stack{IValue(),
                    IValue(true),
                    IValue(int64_t{3}),
                    IValue(0.5),
                    IValue(view),
                    IValue(kHalf),
                    IValue(Device(kMeta, 1)),
                    IValue(std::string_view("mean")),
                    IValue(IntList{2, 3}),
                    IValue(default_generator())};
  look(undefined, stack);
  return 0;
}
