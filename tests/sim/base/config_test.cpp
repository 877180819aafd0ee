// SPDX-License-Identifier: Apache-2.0
#include "sim/base/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

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

// A lost, doubled or changed letter never prevents a suggestion.
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
      // In shorter names, two knobs may be equally near.
      if (!is_one && !variable.starts_with("CUVETTE_DEVICE") && variable.size() > 14) {
        EXPECT_EQ(nearest(name, variables), variable) << name;
      }
    }
  }
}

TEST(value_complaint, KnowsTheValues) {
  for (const char* good : {"documented", "driver", "strict", ""})
    EXPECT_EQ(value_complaint("CUVETTE_CONTRACT", good), "");
  EXPECT_EQ(
      value_complaint("CUVETTE_CONTRACT", "drivers"),
      "'drivers', which is not one of its values: did you mean 'driver'? It can be 'documented', "
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

// Each default is an accepted value.
TEST(value_complaint, TakesTheDefaults) {
  for (const Knob& knob : knobs())
    EXPECT_EQ(value_complaint(knob.variable, knob.fallback), "") << knob.variable;
}

template <typename Kind>
void expect_judged_alike(const std::string& text) {
  EXPECT_EQ(Kind::parse(text).has_value(), Kind::complaint(text).empty()) << "'" << text << "'";
}

// On any text: a complaint is empty exactly if the text has a value.
TEST(knob_kinds, AgreeOnWhatMeansSomething) {
  const char* const pieces[] = {"0",  "1",     "16",     "17",   "4096",  "18446744073709551615",
                                "-",  "+",     " ",      ",",    ".",     "K",
                                "M",  "G",     "T",      "iB",   "x",     "races",
                                "no", "edges", "driver", "avx2", "allow", "\xff"};
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint32_t count = 1 + random() % 3; count > 0; --count)
      text += pieces[random() % std::size(pieces)];
    expect_judged_alike<knob::Text>(text);
    expect_judged_alike<knob::Switch>(text);
    expect_judged_alike<knob::Devices>(text);
    expect_judged_alike<knob::Bytes<>>(text);
    expect_judged_alike<knob::Memory>(text);
    expect_judged_alike<knob::OneOf<Fill>>(text);
    expect_judged_alike<knob::OneOf<Contract>>(text);
    expect_judged_alike<knob::SomeOf<Check>>(text);
    expect_judged_alike<knob::Perhaps<knob::OneOf<Vectors>>>(text);
  }
}

TEST(knob_kinds, SayWhatATextMeans) {
  EXPECT_EQ(knob::Devices::parse("16"), 16u);
  EXPECT_EQ(knob::Devices::parse("17"), std::nullopt);
  EXPECT_EQ(knob::Bytes<>::parse("3KiB"), 3072u);
  EXPECT_EQ(knob::Bytes<>::parse("16777216T"), std::nullopt);  // 2^64
  EXPECT_EQ(knob::Bytes<>::parse("16777215T"), size_t{16777215} << 40);
  EXPECT_EQ(knob::Memory::parse("1023K"), std::nullopt);
  EXPECT_EQ(knob::Memory::parse("1024K"), size_t{1} << 20);
  EXPECT_EQ(knob::OneOf<HostAccess>::parse("warn"), HostAccess::warn);
  EXPECT_EQ(knob::OneOf<HostAccess>::parse("Warn"), std::nullopt);
  EXPECT_EQ(knob::OneOf<Fill>::parse("all"), Fill::all);
  EXPECT_TRUE(knob::SomeOf<Check>::parse("races")->has(Check::races));
  EXPECT_FALSE(knob::SomeOf<Check>::parse("")->has(Check::races));
}

// The command and the library accept the same values.
TEST(value_complaint, IsTheLibrarysOwn) {
  EXPECT_EQ(value_complaint("CUVETTE_WORKERS", "1024"), "");
  EXPECT_NE(value_complaint("CUVETTE_WORKERS", "2000"), "");
  EXPECT_NE(value_complaint("CUVETTE_MEMORY", "64K").find("1048576 at least"), std::string::npos);
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
            "CUVETTE_CHEKC is set, but it is not a knob: did you mean CUVETTE_CHECK?");
  EXPECT_NE(complaint("CUVETTE_UNHEARD_OF_BEFORE", "1").find("`cuvette run --help`"),
            std::string::npos);
  EXPECT_NE(complaint("CUVETTE_CHECK", "race"), "");
  EXPECT_EQ(complaint("CUVETTE_CHECK", "races"), "");
  EXPECT_EQ(complaint("CUVETTE_TEST_ANYTHING", "1"), "");
  EXPECT_EQ(complaint("CUVETT", "1"), "");
}

}  // namespace
}  // namespace cuvette
