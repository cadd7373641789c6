// What all pages share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/docs/docs.h"
#include "codegen/docs/guides.h"
#include "codegen/docs/html.h"
#include "codegen/emit/python/python_face.h"
#include "codegen/emit/text/cpp_functions.h"

namespace opweave::codegen {

// One page: the overloads of a base name.
struct Topic {
  std::string name;
  std::string section;  // of ops.yaml
  bool internal = true;
  std::vector<const Operator*> overloads;  // the derived forms are told with them
};

class Site {
 public:
  Site(const Model& model, const DocsInput& input);

  const std::vector<Topic>& topics() const { return topics_; }
  const Topic* topic_of(const Operator& op) const;
  // Python's ways of calling an operator: `opweave.add(input, other, *, alpha=1) -> Tensor`.
  std::vector<std::string> python_calls(const Operator& op) const;
  std::vector<std::string> cpp_calls(const Operator& op) const;
  // The dtypes that it was found to take; empty if nobody looked.
  std::string found_dtypes(const Operator& op) const;
  // Where its kernel for a target is: `kernels/cpu/sum.cc:20`, or files, where a macro defines it.
  std::vector<std::string> kernel_places(const Operator& op, const std::string& target) const;
  // Those that its formulas call, and those whose formulas call it, by the names of their topics.
  std::vector<std::string> related(const Topic& topic) const;

 private:
  void collect_topics(const Model& model);
  void collect_calls(const Model& model);
  void collect_related(const Model& model);
  void relate(const Operator& op, const FormulaNode& formula);

  const DocsInput& input_;
  std::vector<Topic> topics_;
  std::map<std::string, size_t> topic_index_;
  std::map<const Operator*, std::vector<std::string>> python_, cpp_;
  std::map<std::string, std::map<std::string, int>> related_;
};

// The address of a topic's page from the top folder.
std::string page_of(const std::string& topic);
// A whole page; `root` leads from it to the top folder.
std::string print_page(const std::string& title, const std::string& root, std::vector<Html> main);

// The main part of a topic's page.
std::vector<Html> topic_page(const Site& site, const Topic& topic);
std::vector<Html> index_page(const Site& site, const Guides& guides);
std::string search_index(const Site& site, const Guides& guides);
// A line of the search index.
std::string search_entry(const std::string& name, const std::string& page,
                         const std::string& section, const std::string& text);

}  // namespace opweave::codegen
