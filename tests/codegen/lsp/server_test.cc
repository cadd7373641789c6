// Sessions of the language server, message by message. A real client's are in tests/lsp.
#include "codegen/lsp/server.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include "codegen/lsp/run.h"
#include "tests/codegen/lsp/session.h"

namespace opweave::codegen::lsp {
namespace {

TEST_CASE("a session in order") {
  std::vector<Json> sent;
  Server server([&](const Json& message) { sent.push_back(message); });
  const auto answer = [&](const Json& message) {
    sent.clear();
    server.receive(dump(message));
    return sent.empty() ? Json() : sent[0];
  };
  CHECK(answer({{"id", 1}, {"method", "textDocument/hover"}})["error"]["code"] == -32002);
  CHECK(answer({{"id", 2}, {"method", "initialize"}})["result"]["capabilities"]["hoverProvider"] ==
        true);
  CHECK(answer({{"id", 3}, {"method", "initialize"}})["error"]["code"] == -32600);
  CHECK(answer({{"id", "4"}, {"method", "shutdown"}}) ==
        Json{{"jsonrpc", "2.0"}, {"id", "4"}, {"result", nullptr}});
  CHECK(answer({{"id", 5}, {"method", "textDocument/hover"}})["error"]["code"] == -32600);
  CHECK_FALSE(server.exited());
  CHECK(answer({{"method", "exit"}}).is_null());
  CHECK(server.exited());
  CHECK(server.status() == 0);
}

TEST_CASE("exit without shutdown") {
  Server server([](const Json&) {});
  server.receive(R"({"jsonrpc": "2.0", "method": "exit"})");
  CHECK(server.exited());
  CHECK(server.status() == 1);
}

TEST_CASE("malformed messages are answered and cost nothing") {
  Session s;
  const auto code = [&](const std::string& body) -> Json {
    s.sent.clear();
    s.server.receive(body);
    return s.sent.empty() ? Json("silent") : s.sent[0]["error"]["code"];
  };
  CHECK(code("{") == -32700);
  CHECK(code("\xFF") == -32700);
  CHECK(code("[]") == -32600);
  CHECK(code("3") == -32600);
  CHECK(code("{}") == -32600);
  CHECK(code(R"({"id": 1, "method": 3})") == -32600);
  CHECK(code(R"({"id": {}, "method": "shutdown"})") == -32600);
  CHECK(code(R"({"id": 1, "method": "no/such"})") == -32601);
  CHECK(code(R"({"id": 1, "method": "textDocument/hover"})") == -32602);
  CHECK(code(R"({"id": 1, "method": "textDocument/hover", "params": [1]})") == -32602);
  CHECK(code(R"({"id": 1, "method": "textDocument/hover", "params":
      {"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}}})") ==
        -32602);
  CHECK(code(R"({"method": "textDocument/didOpen", "params": 3})") == "silent");
  CHECK(code(R"({"method": "$/unknown"})") == "silent");
  CHECK(code(R"({"id": 7, "result": null})") == "silent");
  s.sent.clear();
  s.server.receive_error("a header has no end");
  CHECK(s.sent[0]["error"]["code"] == -32700);
  CHECK(s.sent[0]["id"].is_null());
  CHECK(s.open("ops.yaml", kOps)["ops.yaml"].empty());
}

TEST_CASE("an edit of one file shows errors in the other") {
  Session s;
  CHECK(s.open("ops.yaml", kOps) == std::map<std::string, Json>{{"ops.yaml", Json::array()}});
  std::string renamed = kOps;
  renamed.replace(renamed.find("total_backward"), 14, "total_backwards");
  const auto found = s.edit("ops.yaml", renamed, 2);
  REQUIRE(found.contains("derivatives.yaml"));
  const Json& d = found.at("derivatives.yaml")[0];
  CHECK(d["code"] == "OW0203");
  CHECK(d["severity"] == 1);
  CHECK(d["source"] == "opweave");
  CHECK(contains(d["message"], "did you mean 'total_backwards'?"));
  CHECK(d["range"]["start"] == Json{{"line", 1}, {"character", 8}});
  CHECK(d["range"]["end"] == Json{{"line", 1}, {"character", 22}});
  CHECK(d["relatedInformation"].size() >= 1);
  // Mended: the other file's list is emptied.
  CHECK(s.edit("ops.yaml", kOps, 3).at("derivatives.yaml").empty());
}

TEST_CASE("unsaved text wins over the file, and the file counts again when it is closed") {
  Session s;
  s.open("ops.yaml", kOps);
  CHECK(s.open("derivatives.yaml", "- name: total.dim\n  self: oops\n")
            .at("derivatives.yaml")
            .size() == 1);
  const auto closed =
      s.notify("textDocument/didClose", {{"textDocument", {{"uri", s.uri("derivatives.yaml")}}}});
  CHECK(closed.at("derivatives.yaml").empty());
  s.write("derivatives.yaml", "- name: nothing\n");
  CHECK(s.notify("workspace/didChangeWatchedFiles", {}).at("derivatives.yaml").size() == 1);
  // With the last document goes all that was said.
  const auto none =
      s.notify("textDocument/didClose", {{"textDocument", {{"uri", s.uri("ops.yaml")}}}});
  CHECK(none.at("derivatives.yaml").empty());
}

TEST_CASE("older versions are ignored") {
  Session s;
  s.open("ops.yaml", kOps);
  CHECK(s.edit("ops.yaml", "- oops", 1).empty());
  CHECK(s.edit("ops.yaml", "- oops", 0).empty());
  CHECK(s.edit("ops.yaml", "- oops", 7).at("ops.yaml").size() == 1);
}

TEST_CASE("columns are UTF-16 units") {
  Session s;
  const std::string text =
      "- func: f(Tensor self) -> Tensor\n  doc: \"𝄞é\"\n  expr: \"'é𝄞' == slef\"\n";
  const Json found = s.open("ops.yaml", text).at("ops.yaml");
  const size_t line = 2;
  const auto here = std::ranges::find_if(
      found, [&](const Json& d) { return d["range"]["start"]["line"] == line; });
  REQUIRE(here != found.end());
  CHECK((*here)["range"]["start"]["character"].get<int>() >= 8);
  CHECK((*here)["range"]["end"]["character"].get<int>() <= 22);
}

TEST_CASE("files that belong to nobody are left alone") {
  Session s;
  CHECK(s.open("target.yaml", "name: npu\nkernels: [nothing]\n").empty());
  CHECK(s.hover("target.yaml", "name: npu\n", "name").empty());
}

TEST_CASE("a library's formulas know the operators of the folder above") {
  Session s;
  const std::string library = "- func: f(Tensor self) -> Tensor\n  composite: scale(self, 3.0)\n";
  CHECK(s.open("examples/lib/ops.yaml", library).at("ops.yaml").empty());
  CHECK(s.places("definition", s.place("examples/lib/ops.yaml", library, "scale", 2)) ==
        Texts{"ops.yaml:1"});
}

TEST_CASE("hover over an operator's name") {
  Session s;
  s.open("ops.yaml", kOps);
  const std::string text = s.hover("ops.yaml", kOps, "scale", 2);
  CHECK(contains(text, "Multiplies."));
  CHECK(contains(text, "Tensor opweave::scale(const Tensor& self, double factor = 2.0);"));
  CHECK(contains(text, "opweave.scale(input, factor=2, *, out=None) -> Tensor"));
  CHECK(contains(text, "∂scale/∂self = factor"));
  CHECK(contains(text, "Forward mode: by its gradients, of the tangents"));
  CHECK(contains(text, "dresult = dself·factor"));
  const std::string total = s.hover("ops.yaml", kOps, "total.dim", 7);
  CHECK(contains(total, "Forward mode: by two backward passes"));
  CHECK(contains(total, "grad_self = total_backward(grad, dim)·self"));
  CHECK(contains(total, "Kernels: `kernels/cpu/total.cc`"));
  CHECK(contains(total, "Tests: `tests/reference/cases/sums.py`"));
  CHECK(contains(s.hover("ops.yaml", kOps, "twice"), "through the operators that it calls"));
}

TEST_CASE("hover over arguments, keys, values and functions") {
  Session s;
  s.open("ops.yaml", kOps);
  s.open("derivatives.yaml", kDerivatives);
  const std::string factor = s.hover("ops.yaml", kOps, "factor=2", 1);
  CHECK(contains(factor, "double factor"));
  CHECK(contains(factor, "factor: float = 2"));
  CHECK(contains(s.hover("ops.yaml", kOps, "self, float", 1), "∂scale/∂self = factor"));
  CHECK(contains(s.hover("ops.yaml", kOps, "expr", 1), "A pointwise expression"));
  CHECK(contains(s.hover("ops.yaml", kOps, "func", 1), "Every entry has it."));
  CHECK(contains(s.hover("ops.yaml", kOps, "cpu", 1), "a value of `kernels`"));
  CHECK(contains(s.hover("ops.yaml", kOps, "[composite]", 2), "that autograd differentiates"));
  const std::string sine = s.hover("ops.yaml", kOps, "sin(", 1);
  CHECK(contains(sine, "∂/∂x = cos(x)"));
  CHECK(contains(s.hover("ops.yaml", kOps, "total(self", 1), "**total.dim**"));
  CHECK(contains(s.hover("derivatives.yaml", kDerivatives, "grad,", 1),
                 "gradient of what `total.dim`"));
  CHECK(contains(s.hover("derivatives.yaml", kDerivatives, "self:", 1),
                 "an argument of `total.dim`"));
  CHECK(contains(s.hover("derivatives.yaml", kDerivatives, "total.dim", 1), "**total.dim**"));
  CHECK(s.hover("ops.yaml", kOps, "-> Tensor", 0).empty());
}

TEST_CASE("hover over what only gradients name, and over keys with parts") {
  Session s;
  s.open("ops.yaml", kOps);
  const std::string text =
      "- name: total.dim\n  self: total_backward(grads[0], dim) * result + grad_input_mask + x\n";
  s.open("derivatives.yaml", text);
  CHECK(contains(s.hover("derivatives.yaml", text, "grads", 1), "gradient of what `total.dim`"));
  CHECK(contains(s.hover("derivatives.yaml", text, "result", 1), "what `total.dim` returned"));
  CHECK(contains(s.hover("derivatives.yaml", text, "grad_input", 1), "need a gradient"));
  CHECK(s.hover("derivatives.yaml", text, "+ x", 2).empty());
  const std::string entry =
      "- func: f(Tensor self, Tensor other) -> Tensor\n  expr: atan2(self, other) + self\n"
      "  batching: same\n";
  s.edit("ops.yaml", kOps + entry, 2);
  CHECK(contains(s.hover("ops.yaml", kOps + entry, "batching", 1), "- `example`: "));
  CHECK(contains(s.hover("ops.yaml", kOps + entry, "atan2", 1), "∂/∂y = "));
}

TEST_CASE("hover over a forward rule") {
  Session s;
  s.open("ops.yaml", kOps);
  const std::string text =
      "- name: total.dim\n  self: total_backward(grad, dim)\n"
      "  result: total_backward(self_t, dim) * self_p\n";
  s.open("derivatives.yaml", text);
  const std::string rule = "dresult = total_backward(dself, dim)·self";
  CHECK(contains(s.hover("derivatives.yaml", text, "result:", 1),
                 "the tangent of what `total.dim` returns"));
  CHECK(contains(s.hover("derivatives.yaml", text, "result:", 1), rule));
  CHECK(contains(s.hover("derivatives.yaml", text, "self_t", 1), "the tangent of `self`"));
  CHECK(contains(s.hover("derivatives.yaml", text, "self_p", 1), "the value of `self`"));
  const std::string linear =
      "- name: total.dim\n  self: total_backward(grad, dim)\n  result: auto_linear\n";
  s.edit("derivatives.yaml", linear, 2);
  const std::string hover = s.hover("derivatives.yaml", linear, "auto_linear", 1);
  CHECK(contains(hover, "by the operator itself, of the tangents"));
  CHECK(contains(hover, "dresult = total(dself, dim)"));
}

TEST_CASE("a server over pipes") {
  int in[2], out[2];
  REQUIRE(pipe(in) == 0);
  REQUIRE(pipe(out) == 0);
  const std::string stream = framed(R"({"jsonrpc": "2.0", "id": 1, "method": "initialize"})") +
                             "Bad: 1\r\n\r\n" +
                             framed(R"({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})");
  REQUIRE(write(in[1], stream.data(), stream.size()) == static_cast<ssize_t>(stream.size()));
  close(in[1]);
  CHECK(run_server(in[0], out[1]) == 0);
  close(in[0]);
  close(out[1]);
  char buffer[1 << 14];
  const ssize_t count = read(out[0], buffer, sizeof(buffer));
  close(out[0]);
  REQUIRE(count > 0);
  MessageReader reader;
  reader.feed({buffer, static_cast<size_t>(count)});
  for (const char* id : {"1", "null", "2"}) {
    const auto message = reader.next();
    REQUIRE(message);
    CHECK(Json::parse(message->body)["id"].dump() == id);
  }
}

TEST_CASE("hover while the file has errors knows the last good operators") {
  Session s;
  s.open("ops.yaml", kOps);
  const std::string broken = std::string(kOps) + "- func: half\n";
  CHECK(s.edit("ops.yaml", broken, 2).at("ops.yaml").size() == 1);
  CHECK(contains(s.hover("ops.yaml", broken, "scale", 2), "opweave::scale"));
  CHECK(contains(s.hover("ops.yaml", broken, "total(self", 2), "**total.dim**"));
}

TEST_CASE("jumps") {
  Session s;
  s.open("ops.yaml", kOps);
  s.open("derivatives.yaml", kDerivatives);
  const auto in_ops = [&](const char* at, int further = 1) {
    return s.place("ops.yaml", kOps, at, further);
  };
  const auto in_derivatives = [&](const char* at, int further = 1) {
    return s.place("derivatives.yaml", kDerivatives, at, further);
  };
  CHECK(s.places("definition", in_derivatives("total.dim")) == Texts{"ops.yaml:4"});
  CHECK(s.places("definition", in_derivatives("total_backward")) == Texts{"ops.yaml:8"});
  CHECK(s.places("definition", in_derivatives("dim) *")) == Texts{"ops.yaml:4"});
  CHECK(s.places("definition", in_ops("total(self")) == Texts{"ops.yaml:4"});
  CHECK(s.places("definition", in_ops("scale(self))")) == Texts{"ops.yaml:1"});
  CHECK(s.places("definition", in_ops("total.dim")) == Texts{"total.cc:4"});
  CHECK(s.places("declaration", in_ops("total.dim")) == Texts{"ops.yaml:4"});
  CHECK(s.places("definition", in_ops("scale")) == Texts{"ops.yaml:2"});
  CHECK(s.places("implementation", in_derivatives("total.dim")) == Texts{"total.cc:4"});
  CHECK(s.places("implementation", in_ops("twice")) == Texts{"ops.yaml:12"});
  CHECK(s.places("definition", in_ops("factor\n")) == Texts{"ops.yaml:1"});
  CHECK(s.places("definition", in_ops("Multiplies")).empty());
}

TEST_CASE("references") {
  Session s;
  s.open("ops.yaml", kOps);
  const auto of = [&](const char* at, bool declaration) {
    Json params = s.place("ops.yaml", kOps, at, 1);
    params["context"] = {{"includeDeclaration", declaration}};
    return s.places("references", params);
  };
  CHECK(of("total.dim", true) ==
        Texts{"ops.yaml:4", "derivatives.yaml:1", "ops.yaml:12", "total.cc:4", "sums.py:1"});
  CHECK(of("total_backward", false) == Texts{"derivatives.yaml:2"});
  // Of symbols, too: the product in the derivative.
  CHECK(has(of("mul.Tensor", false), "derivatives.yaml:2"));
  // Calls in an expression, in a composite; the generated tests.
  CHECK(of("scale", false) == Texts{"ops.yaml:16", "ops.yaml:12", "test_pointwise.py:3"});
  CHECK(of("self, float", true).empty());
}

TEST_CASE("completion of keys, words and names") {
  Session s;
  const std::string head = "- func: f(Tensor self, int dim) -> Tensor\n  expr: -self\n";
  const Texts keys = s.completions(head + "  va\n", "va", 2);
  CHECK(has(keys, "variants"));
  CHECK_FALSE(has(keys, "expr"));
  CHECK(has(s.completions(head + "  variants: f\n", "variants: f", 11), "method"));
  CHECK(has(s.completions(head + "  inplace: \n", "inplace: ", 9), "false"));
  CHECK(has(s.completions(head + "  dtypes: [float32, f]\n", ", f]", 3), "float64"));
  CHECK(has(s.completions(head + "  samples: {s}\n", "{s", 2), "self"));
  CHECK(has(s.completions(head + "  kernels: [c]\n", "[c", 2), "composite"));
  CHECK(has(s.completions(head + "  batching: {e}\n", "{e", 2), "example"));
  CHECK(has(s.completions("- func: f(Te\n", "(Te", 3), "Tensor"));
  CHECK(has(s.completions(head + "  promotes: s\n", ": s\n", 3), "dim"));
}

TEST_CASE("targets are those of the files beside the operators") {
  Session s;
  s.write("kernels/cpu/target.yaml", "name: cpu\ndoc: Processors.\n");
  s.write("npu/target.yaml", "name: npu\ndoc: A chip.\n");
  s.write("kernels/far/target.yaml", "name: far\nkernels: [scale]\n");
  const Texts found =
      s.completions("- func: f(Tensor self, int dim=0) -> Tensor\n  kernels: [c]\n", "[c", 2);
  CHECK(found == Texts{"cpu", "far", "npu", "native", "composite", "every_target", "view", "meta"});
  s.edit("ops.yaml", kOps, 2);
  CHECK(s.hover("ops.yaml", kOps, "cpu", 1) == "**cpu** · a target\n\nProcessors.");
  const std::string unknown = "- func: f(int n) -> Tensor\n  kernels: [npx]\n";
  const auto published = s.edit("ops.yaml", unknown, 3);
  CHECK(contains(published.at("ops.yaml").dump(), "names the unknown target 'npx'"));
}

TEST_CASE("completion in formulas") {
  Session s;
  s.open("ops.yaml", kOps);
  const std::string expr = std::string(kOps) + "- func: f(Tensor self) -> Tensor\n  expr: s\n";
  const Texts in_expr = s.completions(expr, "expr: s\n", 7);
  CHECK(has(in_expr, "self"));
  CHECK(has(in_expr, "sigmoid"));
  CHECK(has(in_expr, "scale"));
  CHECK_FALSE(has(in_expr, "total"));
  const std::string composite =
      std::string(kOps) + "- func: f(Tensor self) -> Tensor\n  composite: self.\n";
  const Texts methods = s.completions(composite, "self.\n", 5);
  CHECK(has(methods, "sizes"));
  CHECK(has(methods, "total"));
  s.open("ops.yaml", kOps);
  const std::string derivative = "- name: total.dim\n  self: g\n  \n";
  s.open("derivatives.yaml", derivative);
  const auto labels = [&](const char* at, int further) {
    Texts list;
    const Json found =
        s.request("textDocument/completion", s.place("derivatives.yaml", derivative, at, further));
    for (const Json& item : found["items"]) list.push_back(item["label"]);
    return list;
  };
  CHECK(has(labels("self: g", 7), "grad"));
  CHECK(has(labels("self: g", 7), "result"));
  CHECK(has(labels("total.dim", 2), "total.dim"));
  CHECK(has(labels("  \n", 2), "output_differentiability"));
}

TEST_CASE("symbols of a document") {
  Session s;
  s.open("ops.yaml", kOps);
  const Json symbols =
      s.request("textDocument/documentSymbol", {{"textDocument", {{"uri", s.uri("ops.yaml")}}}});
  REQUIRE(symbols.size() == 6);
  CHECK(symbols[1]["name"] == "total.dim");
  CHECK(symbols[1]["selectionRange"]["start"] == Json{{"line", 3}, {"character", 8}});
  CHECK(symbols[0]["children"].size() == 3);
}

TEST_CASE("what was probably meant is a fix") {
  Session s;
  const std::string text = "- func: f(Tensor self) -> Tensor\n  expr: -slef\n";
  s.open("ops.yaml", text);
  Json params = {
      {"textDocument", {{"uri", s.uri("ops.yaml")}}},
      {"range",
       {{"start", {{"line", 1}, {"character", 10}}}, {"end", {{"line", 1}, {"character", 10}}}}},
      {"context", {{"diagnostics", Json::array()}}}};
  const Json actions = s.request("textDocument/codeAction", params);
  REQUIRE(actions.size() == 1);
  CHECK(actions[0]["title"] == "Write 'self'");
  const Json& change = actions[0]["edit"]["changes"][s.uri("ops.yaml")][0];
  CHECK(change["newText"] == "self");
  CHECK(change["range"]["start"] == Json{{"line", 1}, {"character", 9}});
  params["range"]["start"] = params["range"]["end"] = {{"line", 0}, {"character", 0}};
  CHECK(s.request("textDocument/codeAction", params).empty());
}

}  // namespace
}  // namespace opweave::codegen::lsp
