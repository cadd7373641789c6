// libcurl, loaded by the first EtcdStore: it brings thirty libraries with it, which programs that
// use no etcd are neither to load nor to need.
#pragma once

#include <curl/curl.h>

namespace opweave::distributed {

struct CurlLibrary {
#define OW_CURL_FUNCTION(name) decltype(&::curl_##name) name = nullptr;
#include "runtime/distributed/store/etcd/curl_functions.def"
#undef OW_CURL_FUNCTION
};

// A DistStoreError says what to install where there is none.
const CurlLibrary& curl();

}  // namespace opweave::distributed
