// All files of the documentation.
#include "codegen/docs/docs.h"

#include "codegen/docs/guides.h"
#include "codegen/docs/site.h"

namespace opweave::codegen {
namespace {

constexpr const char* kStyle =
#include "codegen/docs/style.inc"
    ;
constexpr const char* kSearch =
#include "codegen/docs/search.inc"
    ;

}  // namespace

std::vector<EmittedFile> emit_docs(const Model& model, const DocsInput& input) {
  const Site site(model, input);
  const Guides guides(input.guides);
  std::vector<EmittedFile> files;
  files.push_back({"index.html", print_page("Opweave", "", index_page(site, guides))});
  for (const Topic& topic : site.topics()) {
    files.push_back({page_of(topic.name),
                     print_page(topic.name + " · Opweave", "../", topic_page(site, topic))});
  }
  for (const Guides::Guide& guide : guides.all()) {
    files.push_back({guide.page, print_page(guide.title + " · Opweave", "../", guide.main)});
  }
  files.push_back({"index.js", search_index(site, guides)});
  files.push_back({"style.css", kStyle});
  files.push_back({"search.js", kSearch});
  return files;
}

}  // namespace opweave::codegen
