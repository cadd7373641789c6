// The fuzzing configuration builds and runs: whatever the bytes, yaml-cpp answers or throws.
#include <yaml-cpp/yaml.h>

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    YAML::LoadAll(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const YAML::Exception&) {
  }
  return 0;
}
