// What etcd's answers are read as, and what is no answer of etcd.
#include <doctest/doctest.h>

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/etcd/messages.h"

using namespace opweave;
using namespace opweave::distributed::etcd;

namespace {

const std::string kHeader = R"("header":{"cluster_id":"18446744073709551615","revision":"7"})";

std::string why_not(const std::string& text) {
  try {
    read_answer(text);
  } catch (const NotEtcd& error) {
    return error.why();
  }
  return "";
}

}  // namespace

TEST_CASE("requests are what etcd expects") {
  const Transaction transaction{{is_version("a", 3), is_revision(std::string("\0", 1), 0)},
                                {put("a", "\xff"), erase(beginning_with("q/"))},
                                {look_up("a", Show::kKeys)}};
  CHECK(transaction.text() ==
        R"({"compare":[{"key":"YQ==","target":"VERSION","result":"EQUAL","version":"3"},)"
        R"({"key":"AA==","target":"MOD","result":"EQUAL","mod_revision":"0"}],)"
        R"("success":[{"request_put":{"key":"YQ==","value":"/w=="}},)"
        R"({"request_delete_range":{"key":"cS8=","range_end":"cTA="}}],)"
        R"("failure":[{"request_range":{"key":"YQ==","limit":"0","keys_only":true}}]})");
  CHECK(login_request("a\"b", "c\\") == R"({"name":"a\"b","password":"c\\"})");
}

TEST_CASE("answers are read") {
  const Answer answer = read_answer(
      str("{", kHeader,
          R"(,"succeeded":true,"responses":[{"response_put":{}},{"response_range":{"count":"2",)"
          R"("kvs":[{"key":"YQ==","mod_revision":"5","version":"2","value":"AP8="}]}},)"
          R"({"response_delete_range":{"deleted":"4"}}]})"));
  CHECK(answer.cluster == UINT64_MAX);
  CHECK(answer.revision == 7);
  CHECK(answer.succeeded);
  REQUIRE(answer.parts.size() == 3);
  CHECK(answer.parts[1].count == 2);
  CHECK(answer.parts[2].count == 4);
  const Item& item = answer.parts[1].items.at(0);
  CHECK(item.key == "a");
  CHECK(item.value == std::string("\0\xff", 2));
  CHECK(item.revision == 5);
  CHECK(item.version == 2);
}

TEST_CASE("what is no answer of etcd is told") {
  CHECK(why_not("") == "its answer is no JSON object");
  CHECK(why_not("[]") == "its answer is no JSON object");
  CHECK(why_not(std::string(100000, '[')) == "its answer is no JSON object");
  CHECK(why_not(R"({"header":[]})") == "'header' in its answer is not what etcd's is");
  CHECK(why_not(R"({"header":{"cluster_id":"18446744073709551616"}})") ==
        "'cluster_id' in its answer is no number");
  CHECK(why_not(R"({"header":{"revision":"9223372036854775807"}})") ==
        "'revision' in its answer is no number");
  CHECK(why_not(str("{", kHeader, R"(,"responses":[1]})")) == "a part of its answer is no object");
  CHECK(why_not(str("{", kHeader, R"(,"responses":[{}]})")) ==
        "a part of its answer is none of a transaction");
  CHECK(why_not(str("{", kHeader, R"(,"responses":[{"response_range":{"kvs":[0]}}]})")) ==
        "a key in its answer is no object");
}

TEST_CASE("errors and events are told from everything else") {
  CHECK(read_refusal(R"({"code":14,"message":"no leader"})").code == 14);
  for (const char* text : {"", "{}", R"({"code":17,"message":"x"})", R"({"code":-1,"message":"x"})",
                           R"({"code":"3","message":"x"})", R"({"code":3,"message":3})"}) {
    CHECK(read_refusal(text).code == -1);
  }
  CHECK_FALSE(read_event(R"({"result":{"created":true}})"));
  CHECK(read_event(R"({"result":{"events":[{}]}})"));
  CHECK(read_event(R"({"result":{"canceled":true}})"));
  CHECK_THROWS_AS(read_event(R"({"error":{"message":"no leader"}})"), NotEtcd);
  CHECK_THROWS_AS(read_event("{}"), NotEtcd);
  CHECK_THROWS_AS(read_token("{\"token\":\"a\\nb\"}"), NotEtcd);
  CHECK(read_token(R"({"token":"abc.1"})") == "abc.1");
}
