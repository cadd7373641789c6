// Stacks by the unwinder, names by the dynamic linker: a function that a library keeps to itself
// has only an address.
#include "runtime/core/base/stack.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "runtime/core/base/str.h"

namespace opweave {
namespace {

constexpr int kMaxFrames = 64;

struct Freed {
  void operator()(char* text) const { std::free(text); }  // NOLINT: allocated by the C library
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, Freed> text(abi::__cxa_demangle(name, nullptr, nullptr, &status));
  return text ? text.get() : name;
}

std::string hexadecimal(uintptr_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
  } while ((number /= 16) != 0);
  return "0x" + digits;
}

// `opweave::throw_error(…) + 0x2f in /usr/lib/libopweave.so`
std::string describe(void* address) {
  const auto place = reinterpret_cast<uintptr_t>(address);
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return hexadecimal(place);
  const bool named = info.dli_sname != nullptr;
  const auto start = reinterpret_cast<uintptr_t>(named ? info.dli_saddr : info.dli_fbase);
  return str(named ? demangled(info.dli_sname) : "<unknown function>", " + ",
             hexadecimal(place - start), " in ", info.dli_fname);
}

}  // namespace

bool shows_cpp_stack() {
  static const bool shown = [] {
    const char* value = std::getenv("TORCH_SHOW_CPP_STACKTRACES");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return shown;
}

// Not inlined: where it returns to is the first frame that counts. How many are before it depends
// on who unwinds: a sanitizer puts one of its own there.
[[gnu::noinline]] std::string cpp_stack(int skipped) {
  void* frames[kMaxFrames];
  const int count = backtrace(frames, kMaxFrames);
  int first = 0;
  while (first < count && frames[first] != __builtin_return_address(0)) ++first;
  if (first == count) first = 1;
  first += skipped;
  std::string text;
  for (int i = first; i < count; ++i) {
    text += str("frame #", i - first, ": ", describe(frames[i]), "\n");
  }
  return text;
}

}  // namespace opweave
