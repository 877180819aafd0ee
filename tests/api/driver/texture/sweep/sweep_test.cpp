// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces in kernels, compared with an H100's answers: recorded.txt, made by
// record.cpp.
#include <cuda.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/texture/sweep/cases.hpp"

namespace textures {
namespace {

struct Kept {
  int status = 0;
  std::vector<std::string> summary;
};

std::map<std::string, Kept> recorded() {
  std::map<std::string, Kept> all;
  std::ifstream file(CUVETTE_TEXTURES);
  std::string line;
  while (std::getline(file, line)) {
    const size_t name = line.find('|'), status = line.find('|', name + 1);
    Kept& kept = all[line.substr(0, name)];
    kept.status = std::atoi(line.c_str() + name + 1);
    std::istringstream words(line.substr(status + 1));
    for (std::string word; words >> word;) kept.summary.push_back(word);
  }
  return all;
}

float number_of(const std::string& word) {
  return std::bit_cast<float>(static_cast<uint32_t>(std::strtoul(word.c_str(), nullptr, 16)));
}

// The number of words of the summaries that differ by more than is allowed.
size_t differences(const Case& one, const std::vector<std::string>& wanted,
                   const std::vector<std::string>& found) {
  size_t count = wanted.size() == found.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
    if (wanted[i] == found[i]) continue;
    if (one.tolerance == 0 ||
        !(std::abs(number_of(wanted[i]) - number_of(found[i])) <= one.tolerance))
      ++count;
  }
  return count;
}

// There are many cases: each test covers those whose names begin with `family`.
void compare(const std::string& family) {
  const Scene scene;
  static const std::map<std::string, Kept> all = recorded();
  size_t compared = 0;
  for (const Case& one : all_cases()) {
    if (!one.name.starts_with(family)) continue;
    const auto known = all.find(one.name);
    ASSERT_NE(known, all.end()) << one.name << " is not recorded";
    // Cuvette may accept what the driver refuses.
    if (known->second.status != 0) continue;
    const Answer answer = answer_of(one);
    EXPECT_EQ(answer.status, 0) << one.name;
    const std::vector<std::string> found = summary_of(one, answer);
    EXPECT_EQ(differences(one, known->second.summary, found), 0u)
        << one.name << ": of " << known->second.summary.size();
    ++compared;
  }
  EXPECT_GT(compared, 0u);
}

TEST(TextureSweep, AddressModesOfEveryGeometry) { compare("geometry "); }
TEST(TextureSweep, WholeNumbers) { compare("whole "); }
TEST(TextureSweep, Numbers) { compare("number "); }
TEST(TextureSweep, Blends) { compare("blend "); }
TEST(TextureSweep, MixedKinds) { compare("mixed "); }
TEST(TextureSweep, Srgb) { compare("srgb "); }
TEST(TextureSweep, Borders) { compare("border "); }
TEST(TextureSweep, Precision) { compare("precision "); }
TEST(TextureSweep, Blending) { compare("blending "); }
TEST(TextureSweep, LinearMemory) { compare("linear "); }
TEST(TextureSweep, Rows) { compare("rows "); }
TEST(TextureSweep, Gathers) { compare("gather "); }
TEST(TextureSweep, Levels) { compare("levels "); }
TEST(TextureSweep, Cubes) { compare("cube "); }
TEST(TextureSweep, BetweenLevels) { compare("between "); }
TEST(TextureSweep, Halves) { compare("halves "); }
TEST(TextureSweep, Offsets) { compare("offset "); }
TEST(TextureSweep, Views) { compare("view "); }
TEST(TextureSweep, TextureQueries) { compare("query "); }
TEST(TextureSweep, SurfaceQueries) { compare("surface "); }
TEST(TextureSweep, Reductions) { compare("sured "); }
TEST(TextureSweep, SurfaceLoads) { compare("suld."); }
TEST(TextureSweep, SurfaceStores) { compare("sust."); }

}  // namespace
}  // namespace textures
