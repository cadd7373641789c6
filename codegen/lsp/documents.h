// The documents that the editor has open: their text is what counts, not the file's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "codegen/lsp/rpc.h"

namespace opweave::codegen::lsp {

struct Document {
  std::string uri;  // as the editor spells it
  std::string text;
  int64_t version = 0;
};

class Documents {
 public:
  // Each takes the parameters of its notification.
  void open(const Json& params);
  // False if the version is not newer than what is there, or nothing is: then nothing changes.
  bool change(const Json& params);
  void close(const Json& params);

  // By path; null if it is not open.
  const Document* find(const std::string& path) const;
  const std::map<std::string, Document>& all() const { return documents_; }

 private:
  std::map<std::string, Document> documents_;
};

// The text of an open document or of a file. Nothing if there is neither.
std::optional<std::string> current_text(const Documents& documents, const std::string& path);

}  // namespace opweave::codegen::lsp
