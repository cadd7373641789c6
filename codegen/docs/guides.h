// The handwritten pages of the documentation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/docs/docs.h"
#include "codegen/docs/markdown.h"

namespace opweave::codegen {

class Guides {
 public:
  explicit Guides(const std::vector<GuideFile>& files);

  struct Guide {
    std::string page;  // its address from the top folder
    std::string title;
    std::vector<Html> main;
    std::vector<MarkdownSection> sections;
  };
  const std::vector<Guide>& all() const { return guides_; }

  // Titles that lead to the pages, for the index.
  Html list() const;
  // Lines of the search index: for every page and every section.
  std::string search_entries() const;

 private:
  Html link(const std::string& from, const std::string& address, std::vector<Html> says) const;

  std::map<std::string, std::string> pages_;  // of the files
  std::vector<Guide> guides_;
};

}  // namespace opweave::codegen
