// SPDX-License-Identifier: Apache-2.0
#include "sim/knobs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "sim/config.hpp"

namespace cuvette {
namespace {

TEST(nearest, FindsWhatWasMeant) {
  constexpr std::string_view names[] = {"races", "memory", "documented", "driver"};
  EXPECT_EQ(nearest("race", names), "races");
  EXPECT_EQ(nearest("raecs", names), "races");
  EXPECT_EQ(nearest("docs", names), "");
  EXPECT_EQ(nearest("doc", names), "documented");
  EXPECT_EQ(nearest("drivers", names), "driver");
  EXPECT_EQ(nearest("luck", names), "");
  EXPECT_EQ(nearest("", names), "");
}

// One letter that is lost, doubled, changed or exchanged with its neighbour is always found.
TEST(nearest, FindsEachKnobWithOneMistake) {
  std::vector<std::string_view> variables;
  for (const Knob& knob : knobs()) variables.emplace_back(knob.variable);
  std::mt19937 random(1);
  for (const std::string_view variable : variables) {
    for (int time = 0; time < 20; ++time) {
      std::string name(variable);
      const size_t at = 8 + random() % (name.size() - 8);
      switch (random() % 3) {
        case 0:
          name.erase(at, 1);
          break;
        case 1:
          name.insert(at, 1, name[at]);
          break;
        case 2:
          name[at] = 'X';
          break;
      }
      const bool is_one = std::ranges::find(variables, name) != variables.end();
      EXPECT_NE(nearest(name, variables), "") << name;
      // Two are near to each other.
      if (!is_one && !variable.starts_with("CUVETTE_DEVICE") && variable.size() > 14)
        EXPECT_EQ(nearest(name, variables), variable) << name;
    }
  }
}

TEST(value_complaint, KnowsTheValues) {
  for (const char* good : {"documented", "driver", "strict", ""})
    EXPECT_EQ(value_complaint("CUVETTE_CONTRACT", good), "");
  EXPECT_EQ(value_complaint("CUVETTE_CONTRACT", "drivers"),
            "'drivers', which is none of its values: did you mean 'driver'? There is 'documented', "
            "'driver' or 'strict'");
  EXPECT_EQ(value_complaint("CUVETTE_CHECK", "races"), "");
  EXPECT_EQ(value_complaint("CUVETTE_CHECK", "races,"), "");
  EXPECT_NE(value_complaint("CUVETTE_CHECK", "races,race").find("did you mean 'races'?"),
            std::string::npos);
  EXPECT_EQ(value_complaint("CUVETTE_DEVICES", "16"), "");
  for (const char* bad : {"0", "17", "-1", "1x", " 1", "99999999999999999999"})
    EXPECT_NE(value_complaint("CUVETTE_DEVICES", bad), "") << bad;
  EXPECT_EQ(value_complaint("CUVETTE_CACHE_SIZE", "1G"), "");
  EXPECT_NE(value_complaint("CUVETTE_CACHE_SIZE", "1Gig"), "");
  EXPECT_EQ(value_complaint("CUVETTE_REPORT", "anything"), "");
}

// Each default is one of the values.
TEST(value_complaint, TakesTheDefaults) {
  for (const Knob& knob : knobs())
    if (knob.fallback)
      EXPECT_EQ(value_complaint(knob.variable, knob.fallback), "") << knob.variable;
}

TEST(environment_complaint, FindsWhatIsMisspelt) {
  const auto complaint = [](const char* variable, const char* value) {
    setenv(variable, value, 1);
    const std::string text = environment_complaint();
    unsetenv(variable);
    return text;
  };
  EXPECT_EQ(environment_complaint(), "");
  EXPECT_EQ(complaint("CUVETTE_CHEKC", "races"),
            "CUVETTE_CHEKC is set, and there is no such knob: did you mean CUVETTE_CHECK?");
  EXPECT_NE(complaint("CUVETTE_UNHEARD_OF_BEFORE", "1").find("`cuvette run --help`"),
            std::string::npos);
  EXPECT_NE(complaint("CUVETTE_CHECK", "race"), "");
  EXPECT_EQ(complaint("CUVETTE_CHECK", "races"), "");
  EXPECT_EQ(complaint("CUVETTE_TEST_ANYTHING", "1"), "");
  EXPECT_EQ(complaint("CUVETT", "1"), "");
}

}  // namespace
}  // namespace cuvette
