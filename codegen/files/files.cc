// Files in, files out.
#include "codegen/files/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

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

fs::path temporary(const fs::path& path) { return path.string() + ".tmp"; }

bool write_temporary(const fs::path& path, const std::string& text) {
  std::ofstream out(temporary(path), std::ios::binary | std::ios::trunc);
  out << text;
  return static_cast<bool>(out.flush());
}

void remove_temporaries(const std::vector<fs::path>& paths) {
  std::error_code ignored;
  for (const fs::path& path : paths) fs::remove(temporary(path), ignored);
}

std::string cannot_write(const fs::path& path, const std::string& why) {
  return path.string() + ": cannot be written: " + why;
}

// In a folder that is generated as a whole: what is in it.
constexpr const char* kList = "generated_files.txt";

std::optional<std::vector<std::string>> listed_files(const fs::path& directory) {
  std::string error;
  const auto text = read_file((directory / kList).string(), error);
  if (!text) return std::nullopt;
  std::vector<std::string> names;
  std::istringstream lines(*text);
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

bool is_empty(const fs::path& directory) {
  std::error_code failed;
  return !fs::exists(directory, failed) || fs::is_empty(directory, failed);
}

std::set<std::string> names_of(const std::vector<EmittedFile>& files) {
  std::set<std::string> names;
  for (const EmittedFile& file : files) names.insert(file.path);
  return names;
}

// Whoever has edited the list: nothing outside of the folder goes.
bool is_below(const fs::path& name) {
  return name.is_relative() && !name.empty() &&
         std::ranges::none_of(name, [](const fs::path& part) { return part == ".."; });
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, std::string& error) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    error = "is a directory";
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  const auto size = fs::file_size(path, failed);
  std::string text(failed ? 0 : size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  // What has no size that is known before: a pipe.
  if (in) text.append(std::istreambuf_iterator<char>(in), {});
  return text;
}

std::optional<std::string> read_named_file(const std::string& path, std::string& error) {
  auto text = read_file(path, error);
  if (!text) error = path + " cannot be read: " + error;
  return text;
}

bool read_files(const std::vector<std::string>& paths, std::vector<InputFile>& files,
                Sources& sources, DiagnosticSink& sink) {
  bool ok = true;
  for (const std::string& path : paths) {
    std::string error;
    auto text = read_file(path, error);
    if (text) {
      files.push_back({path, std::move(*text)});
    } else {
      const Span nothing{sources.add(path, ""), 0, 0};
      sink.error(Code::unreadable_file, nothing, "this file cannot be read: " + error);
      ok = false;
    }
  }
  return ok;
}

std::optional<WriteCount> write_files(const std::string& directory,
                                      const std::vector<EmittedFile>& files, std::string& error) {
  std::vector<fs::path> changed;
  fs::path folder;
  for (const EmittedFile& file : files) {
    const fs::path path = fs::path(directory) / file.path;
    if (has_text(path, file.text)) continue;
    changed.push_back(path);
    std::error_code ignored;
    if (path.parent_path() != folder) fs::create_directories(path.parent_path(), ignored);
    folder = path.parent_path();
    if (write_temporary(path, file.text)) continue;
    error = cannot_write(path, std::strerror(errno));
    remove_temporaries(changed);
    return std::nullopt;
  }
  for (const fs::path& path : changed) {
    std::error_code failed;
    fs::rename(temporary(path), path, failed);
    if (!failed) continue;
    error = cannot_write(path, failed.message());
    remove_temporaries(changed);
    return std::nullopt;
  }
  const int written = static_cast<int>(changed.size());
  return WriteCount{written, static_cast<int>(files.size()) - written};
}

std::optional<WriteCount> write_whole_folder(const std::string& directory,
                                             std::vector<EmittedFile> files, std::string& error) {
  const auto former = listed_files(directory);
  if (!former && !is_empty(directory)) {
    error = directory + ": is not empty and has no " + kList +
            " by which files were generated there before: name another folder";
    return std::nullopt;
  }
  const std::set<std::string> now = names_of(files);
  std::string list;
  for (const std::string& name : now) list += name + "\n";
  files.push_back({kList, std::move(list)});
  const auto count = write_files(directory, files, error);
  if (!count || !former) return count;
  for (const std::string& name : *former) {
    std::error_code ignored;
    if (!now.contains(name) && is_below(name)) fs::remove(fs::path(directory) / name, ignored);
  }
  return count;
}

}  // namespace opweave::codegen
