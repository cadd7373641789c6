// Loading libcurl.
#include "runtime/distributed/store/etcd/curl_library.h"

#include <dlfcn.h>

#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

constexpr const char* kName = "libcurl.so.4";

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw DistStoreError(str("EtcdStore cannot use this ", kName, ", which lacks ", name));
  }
}

CurlLibrary load() {
  void* library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DistStoreError(str("EtcdStore needs libcurl, which cannot be loaded: ", dlerror(),
                             "; Debian's package libcurl4 has it"));
  }
  CurlLibrary functions;
#define OW_CURL_FUNCTION(name) find(library, "curl_" #name, functions.name);
#include "runtime/distributed/store/etcd/curl_functions.def"
#undef OW_CURL_FUNCTION
  if (functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    throw DistStoreError("EtcdStore: libcurl cannot be initialised");
  }
  return functions;
}

}  // namespace

const CurlLibrary& curl() {
  static const CurlLibrary functions = load();
  return functions;
}

}  // namespace opweave::distributed
