// Every system library is found, links and runs.
#include <Random123/philox.h>
#include <cpuinfo.h>
#include <dlpack/dlpack.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <hwy/targets.h>
#include <omp.h>
#include <sleef.h>
#include <yaml-cpp/yaml.h>

#include <dnnl.hpp>
#include <nlohmann/json.hpp>

TEST_CASE("fmt formats") { CHECK(fmt::format("{:>4}", 42) == "  42"); }

TEST_CASE("yaml-cpp parses") {
  const YAML::Node node = YAML::Load("a: [1, 2]");
  CHECK(node["a"][1].as<int>() == 2);
}

TEST_CASE("nlohmann-json parses") { CHECK(nlohmann::json::parse("[1, 2]").at(1) == 2); }

TEST_CASE("Random123 gives its published Philox answer") {
  const auto r = r123::Philox4x32()({{0, 0, 0, 0}}, {{0, 0}});
  CHECK(r[0] == 0x6627e8d5u);
}

TEST_CASE("cpuinfo knows this processor") {
  REQUIRE(cpuinfo_initialize());
  CHECK(cpuinfo_get_processors_count() > 0);
}

TEST_CASE("DLPack is the unversioned struct") { CHECK(DLDevice{kDLCPU, 0}.device_type == kDLCPU); }

TEST_CASE("Highway picks a target") { CHECK(hwy::SupportedTargets() != 0); }

TEST_CASE("SLEEF raises to a power") { CHECK(Sleef_pow_u10(2.0, 10.0) == 1024.0); }

TEST_CASE("oneDNN multiplies matrices") {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4] = {};
  REQUIRE(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2) == dnnl_success);
  CHECK(c[0] == 19);
  CHECK(c[3] == 50);
}

TEST_CASE("OpenMP has a thread") { CHECK(omp_get_max_threads() >= 1); }
