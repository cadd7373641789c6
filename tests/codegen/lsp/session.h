// A session of the language server in a folder of its own, for tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "codegen/lsp/server.h"
#include "codegen/lsp/transport.h"
#include "codegen/lsp/uri.h"
#include "tests/support/folder.h"

namespace opweave::codegen::lsp {

namespace fs = std::filesystem;

constexpr const char* kOps =
    "- func: scale(Tensor self, float factor=2) -> Tensor\n"
    "  expr: self * factor\n"
    "  doc: Multiplies.\n"
    "- func: total.dim(Tensor self, int dim) -> Tensor\n"
    "  kernels: [cpu]\n"
    "  roles: {dim: dim}\n"
    "  samples: [{self: real(2x3), dim: 0}]\n"
    "- func: total_backward(Tensor grad, int dim) -> Tensor\n"
    "  kernels: [composite]\n  internal: true\n"
    "- func: twice(Tensor self) -> Tensor\n"
    "  composite: scale(total(self, 0))\n"
    "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self * other\n"
    "- func: wave(Tensor self) -> Tensor\n"
    "  expr: sin(scale(self))\n";
constexpr const char* kDerivatives =
    "- name: total.dim\n"
    "  self: total_backward(grad, dim) * self\n";

// A folder with both files, a kernel and a test; a session in it.
struct Session : Folder {
  Session() {
    write("ops.yaml", kOps);
    write("derivatives.yaml", kDerivatives);
    write("kernels/cpu/total.cc",
          "#include \"x\"\nTensor total_dim(const Tensor& self, int64_t dim);\n"
          "namespace n {\nTensor total_dim(const Tensor& self,\n                 int64_t dim) {\n"
          "  return other(total_dim(self, dim));\n}\n}\n");
    write("tests/reference/cases/sums.py", "table.case(\"total\", \"a.total(0)\")\n");
    write("tests/python/generated/test_pointwise.py", "import x\n\ndef test_it():\n    pass\n");
    request("initialize", {{"capabilities", Json::object()}});
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
  }
  std::string uri(const std::string& name) const { return uri_of_path((path / name).string()); }

  Json send(const Json& message) {
    sent.clear();
    server.receive(dump(message));
    return sent.empty() ? Json() : sent.back();
  }
  Json request(const std::string& method, Json params) {
    const Json answer =
        send({{"jsonrpc", "2.0"}, {"id", ++id}, {"method", method}, {"params", params}});
    CHECK(answer["id"] == id);
    return answer.contains("result") ? answer["result"] : answer["error"];
  }
  // What is published after a notification, by file name.
  std::map<std::string, Json> notify(const std::string& method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
    sent.clear();
    server.publish();
    std::map<std::string, Json> published;
    for (const Json& message : sent) {
      CHECK(message["method"] == "textDocument/publishDiagnostics");
      const std::string file = path_of_uri(message["params"]["uri"].get<std::string>());
      published[fs::path(file).filename()] = message["params"]["diagnostics"];
    }
    return published;
  }
  std::map<std::string, Json> open(const std::string& name, const std::string& text) {
    return notify("textDocument/didOpen",
                  {{"textDocument", {{"uri", uri(name)}, {"version", 1}, {"text", text}}}});
  }
  std::map<std::string, Json> edit(const std::string& name, const std::string& text, int version) {
    return notify("textDocument/didChange",
                  {{"textDocument", {{"uri", uri(name)}, {"version", version}}},
                   {"contentChanges", Json::array({{{"text", text}}})}});
  }
  // A place: where `at` stands in the text, and so many characters further.
  Json place(const std::string& name, const std::string& text, const std::string& at,
             int further = 0) {
    const size_t found = text.find(at);
    REQUIRE(found != std::string::npos);
    const size_t line = std::count(text.begin(), text.begin() + static_cast<long>(found), '\n');
    const size_t column = found - (text.rfind('\n', found) + 1) + further;
    return {{"textDocument", {{"uri", uri(name)}}},
            {"position", {{"line", line}, {"character", column}}}};
  }
  std::string hover(const std::string& name, const std::string& text, const std::string& at,
                    int further = 0) {
    const Json found = request("textDocument/hover", place(name, text, at, further));
    return found.is_null() ? "" : found["contents"]["value"].get<std::string>();
  }
  // `file:line` of each place, lines from one.
  std::vector<std::string> places(const std::string& method, Json params) {
    std::vector<std::string> found;
    for (const Json& location : request("textDocument/" + method, std::move(params))) {
      const std::string file = path_of_uri(location["uri"].get<std::string>());
      const int line = location["range"]["start"]["line"].get<int>() + 1;
      found.push_back(fs::path(file).filename().string() + ":" + std::to_string(line));
    }
    return found;
  }
  std::vector<std::string> completions(const std::string& text, const std::string& at,
                                       int further) {
    open("ops.yaml", text);
    std::vector<std::string> labels;
    const Json found = request("textDocument/completion", place("ops.yaml", text, at, further));
    for (const Json& item : found["items"]) labels.push_back(item["label"]);
    return labels;
  }

  std::vector<Json> sent;
  Server server{[this](const Json& message) { sent.push_back(message); }};
  int id = 0;
};

inline bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::count(list, text) > 0;
}
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
using Texts = std::vector<std::string>;

}  // namespace opweave::codegen::lsp
