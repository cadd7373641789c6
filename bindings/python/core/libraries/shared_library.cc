// Shared libraries that a program names.
#include "bindings/python/core/libraries/shared_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bindings/python/core/objects/errors.h"

namespace opweave::python {
namespace {

[[noreturn]] void raise(const std::string& text) {
  PyErr_SetString(PyExc_OSError, text.c_str());
  throw_python_exception();
}

// Whether the file has all that its program and section headers speak of. What is no ELF file of
// this machine, or cannot be read, is the loader's to refuse.
bool is_whole(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code unknown;
  const uint64_t size = std::filesystem::file_size(path, unknown);
  Elf64_Ehdr header;
  if (unknown || !file.read(reinterpret_cast<char*>(&header), sizeof(header))) return true;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return true;
  const auto fits = [&](uint64_t offset, uint64_t length) {
    return offset <= size && length <= size - offset;
  };
  if (!fits(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize)) return false;
  std::vector<Elf64_Phdr> parts(header.e_phnum);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  file.read(reinterpret_cast<char*>(parts.data()),
            static_cast<std::streamsize>(parts.size() * sizeof(Elf64_Phdr)));
  return file && std::ranges::all_of(
                     parts, [&](const Elf64_Phdr& p) { return fits(p.p_offset, p.p_filesz); });
}

}  // namespace

void* open_shared_library(const char* path) {
  if (!is_whole(path)) raise(std::string(path) + ": the file is cut off: build the library again");
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) raise(dlerror());
  return library;
}

}  // namespace opweave::python
