// SPDX-License-Identifier: Apache-2.0
// The table, the library and NVIDIA's driver agree on the exports, and every function that the
// table calls supported has a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "api/driver/support_table.hpp"
#include "tests/api/driver/library.hpp"

namespace {

using cuvette::driver::Function;
using cuvette::driver::functions;
using cuvette::driver::Support;
using Names = std::set<std::string>;

Names names_of_table() {
  Names names;
  for (const Function& function : functions) names.insert(function.name);
  return names;
}

Names without(const Names& names, const Names& others) {
  Names rest;
  std::set_difference(names.begin(), names.end(), others.begin(), others.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

// Returns a file's text; empty if there is no such file.
std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FunctionTable, NamesEachSymbolOnce) { EXPECT_EQ(names_of_table().size(), functions.size()); }

TEST(FunctionTable, NamesWhatTheRealDriverExports) {
  const auto lines = read_lines("driver_exports.txt");
  const Names driver(lines.begin(), lines.end());
  EXPECT_EQ(without(driver, names_of_table()), Names{}) << "not in the table";
  // <cudaEGL.h> declares it, but only drivers for systems on a chip export it.
  const Names beyond = {"cuEventCreateFromEGLSync"};
  EXPECT_EQ(without(names_of_table(), driver), beyond) << "not exported by the real driver";
}

TEST(FunctionTable, NamesWhatTheLibraryExports) {
  Names library;
  for (const auto& [name, symbol] : read_library().exports) library.insert(name);
  EXPECT_EQ(without(names_of_table(), library), Names{}) << "in the table, not exported";
  EXPECT_EQ(without(library, names_of_table()), Names{}) << "exported, not in the table";
}

TEST(FunctionTable, KnowsCodeFromData) {
  const auto exports = read_library().exports;
  for (const Function& function : functions) {
    const auto symbol = exports.find(function.name);
    ASSERT_NE(symbol, exports.end()) << function.name;
    EXPECT_EQ(symbol->second.object, function.object) << function.name;
  }
  // The symbols that debuggers look for have the real driver's sizes.
  EXPECT_EQ(exports.at("cudbgSessionId").size, 4u);
  EXPECT_EQ(exports.at("cudbgInjectionPath").size, 4096u);
}

TEST(FunctionTable, GivesAReasonForWhatIsMissing) {
  for (const Function& function : functions) {
    const std::string_view reason = function.reason;
    if (function.support == Support::full) {
      EXPECT_EQ(reason, "") << function.name;
    } else {
      ASSERT_GT(reason.size(), 10u) << function.name;
      EXPECT_EQ(reason.back(), '.') << function.name << " has no sentence: " << reason;
    }
  }
}

// The table answers "Where do I add cuFoo?", and answers correctly for functions that exist.
TEST(FunctionTable, PutsEachFunctionInItsFile) {
  std::map<std::string, std::string> texts;
  for (const Function& function : functions) {
    ASSERT_NE(function.file, nullptr) << function.name;
    EXPECT_TRUE(std::regex_match(function.file, std::regex("api/driver/([a-z]+/)?[a-z_]+\\.cpp")))
        << function.name << " is in " << function.file;
    if (function.support == Support::none) continue;
    const auto [text, added] = texts.try_emplace(function.file);
    if (added) text->second = read(tests_api_folder() / "../.." / function.file);
    EXPECT_TRUE(text->second.find(function.base) != std::string::npos)
        << function.name << " is supported, but not in " << function.file;
  }
}

TEST(Library, HasTheDriversName) { EXPECT_EQ(read_library().soname, "libcuda.so.1"); }

TEST(Library, IsNeverUnloaded) { EXPECT_TRUE(read_library().never_unloaded); }

// The names of all suites in the sources of tests/api.
Names suites() {
  const std::regex suite("TEST(_F|_P)?\\(\\s*(cu\\w+)\\s*,");
  Names names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests_api_folder())) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read(entry.path());
    for (std::sregex_iterator i(text.begin(), text.end(), suite), end; i != end; ++i) {
      names.insert((*i)[2]);
    }
  }
  return names;
}

// <cuda.h> turns TEST(cuMemAlloc, ...) into the suite cuMemAlloc_v2, so that a suite may stand in
// the sources under the exported name or under the name that programs write.
TEST(FunctionTable, HasASuiteForEachSupportedFunction) {
  const Names written = suites();
  const auto lines = read_lines("untested_functions.txt");
  const Names excused(lines.begin(), lines.end());
  Names missing;
  for (const Function& function : functions) {
    if (function.support == Support::none || function.per_thread) continue;
    if (!written.contains(function.name) && !written.contains(function.base)) {
      missing.insert(function.name);
    }
  }
  std::ostringstream list;
  for (const auto& name : without(missing, excused)) list << name << '\n';
  EXPECT_EQ(list.str(), "") << "no suite in tests/api, and not in untested_functions.txt";
  EXPECT_EQ(without(excused, missing), Names{}) << "to be removed from untested_functions.txt";
}

}  // namespace
