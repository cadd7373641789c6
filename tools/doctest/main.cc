// The main() of every doctest binary: reports to the console and, as JUnit XML, to Bazel.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

namespace {

// The options of a reporter that writes to $XML_OUTPUT_FILE instead of the console.
struct ReportFile {
  explicit ReportFile(const doctest::ContextOptions& console) : options(console) {
    if (const char* path = std::getenv("XML_OUTPUT_FILE")) file.open(path);
    options.cout = &file;
  }

  std::ofstream file;
  doctest::ContextOptions options;
};

// doctest's JUnit reporter, run beside the console reporter rather than in its place.
struct BazelReporter : ReportFile, doctest::JUnitReporter {
  explicit BazelReporter(const doctest::ContextOptions& console)
      : ReportFile(console), doctest::JUnitReporter(ReportFile::options) {}
};

REGISTER_LISTENER("bazel", 1, BazelReporter);

}  // namespace

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
