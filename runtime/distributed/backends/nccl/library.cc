// Loading.
#include "runtime/distributed/backends/nccl/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <map>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::nccl {
namespace {

template <class Function>
void look_up(void* handle, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr)
    throw DistBackendError(str("the library ", path, " has no ", name, "(): NCCL ",
                               kLeastVersion / 10000, ".", kLeastVersion / 100 % 100,
                               " or later is needed"));
}

std::unique_ptr<Library> look_up_all(void* handle, const std::string& path) {
  auto library = std::make_unique<Library>();
  library->path = path;
#define OW_NCCL(name, ...) look_up(handle, path, "nccl" #name, library->name);
#include "runtime/distributed/backends/nccl/functions.def"
#undef OW_NCCL
  const Result result = library->GetVersion(&library->version);
  if (result != Result::kSuccess || library->version < kLeastVersion)
    throw DistBackendError(str(library->describe(), " (", path,
                               ") is too old: ", kLeastVersion / 10000, ".",
                               kLeastVersion / 100 % 100, " or later is needed"));
  return library;
}

const char* name_of(Result result) {
  switch (result) {
    case Result::kSuccess:
      return "ncclSuccess";
    case Result::kUnhandledCudaError:
      return "ncclUnhandledCudaError";
    case Result::kSystemError:
      return "ncclSystemError";
    case Result::kInternalError:
      return "ncclInternalError";
    case Result::kInvalidArgument:
      return "ncclInvalidArgument";
    case Result::kInvalidUsage:
      return "ncclInvalidUsage";
    case Result::kRemoteError:
      return "ncclRemoteError";
    case Result::kInProgress:
      return "ncclInProgress";
  }
  return "unknown";
}

}  // namespace

std::string Library::describe() const {
  return str("nccl ", version / 10000, ".", version / 100 % 100, ".", version % 100);
}

std::string Library::describe(Result result, CommHandle comm) const {
  std::string text = str(GetErrorString(result), " (", name_of(result), ")");
  const char* more = GetLastError(comm);
  return more != nullptr && *more != 0 ? str(text, ": ", more) : text;
}

const Library& load(const std::vector<std::string>& files) {
  static ForkFreedMutex mutex;
  static auto& loaded = *new std::map<std::vector<std::string>, std::unique_ptr<Library>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Library>& library = loaded[files];
  if (library != nullptr) return *library;
  std::string why;
  for (const std::string& file : files) {
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      library = look_up_all(handle, file);
      return *library;
    }
    if (why.empty()) why = dlerror();  // of the name that is meant; the others are guesses
  }
  throw DistBackendError(str("the library cannot be loaded: ", why));
}

std::vector<std::string> nccl_files() {
  const char* home = std::getenv("CUDA_HOME");
  return {"libnccl.so.2", str(home != nullptr ? home : "/usr/local/cuda", "/lib64/libnccl.so.2")};
}

}  // namespace opweave::distributed::nccl
