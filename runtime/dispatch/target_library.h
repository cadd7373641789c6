// Targets in shared libraries of their own: loading, and what a target tells about itself.
//
// Such a library defines, with C linkage:
//   const char* opweave_target_name();           that of its devices
//   void opweave_register_target();              registers device type, allocator and kernels
//   int opweave_target_device_count();           usable devices; 0 where there are none
//   void opweave_target_synchronize(int index);  waits for all work on a device
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opweave {

struct TargetLibrary {
  std::string name;
  std::string path;
  int (*device_count)() = nullptr;
  void (*synchronize)(int index) = nullptr;
};

// Loads a library and registers its target. Loading the same target again changes nothing.
// RuntimeError with the linker's words when the file cannot be loaded, or with the missing symbol's
// name.
const TargetLibrary& load_target_library(const std::string& path);
// Null when no such target is loaded.
const TargetLibrary* find_target_library(std::string_view name);
std::vector<std::string> loaded_targets();

}  // namespace opweave
