// Files in, files out.
#include "codegen/cli/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

bool has_text(const fs::path& path, const std::string& text) {
  std::error_code ignored;
  if (fs::file_size(path, ignored) != text.size() || ignored) return false;
  std::string error;
  const auto present = read_file(path.string(), error);
  return present && *present == text;
}

bool write_one(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const fs::path temporary = path.string() + ".tmp";
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out.flush()) return false;
  }
  fs::rename(temporary, path, failed);
  return !failed;
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, std::string& error) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    error = path + ": is a directory";
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    error = path + ": " + std::strerror(errno);
    return std::nullopt;
  }
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::optional<WriteCount> write_files(const std::string& directory,
                                      const std::vector<EmittedFile>& files, std::string& error) {
  WriteCount count;
  for (const EmittedFile& file : files) {
    const fs::path path = fs::path(directory) / file.path;
    if (has_text(path, file.text)) {
      ++count.unchanged;
    } else if (write_one(path, file.text)) {
      ++count.written;
    } else {
      error = path.string() + ": cannot be written: " + std::strerror(errno);
      return std::nullopt;
    }
  }
  return count;
}

}  // namespace opweave::codegen
