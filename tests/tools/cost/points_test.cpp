// SPDX-License-Identifier: Apache-2.0
// Times between and beyond the points that were measured.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tools/cuvette/cost/points.hpp"

namespace cuvette::tools {
namespace {

const std::vector<CostPoint> three = {{10, 90, 100, 110}, {20, 180, 200, 220}, {40, 280, 300, 320}};

TEST(CostPoints, GivesWhatWasMeasuredAtEachPoint) {
  for (const CostPoint& point : three) {
    const Estimate estimate = estimate_at(three, point.at);
    EXPECT_EQ(estimate.p10, point.p10);
    EXPECT_EQ(estimate.median, point.median);
    EXPECT_EQ(estimate.p90, point.p90);
    EXPECT_FALSE(estimate.extrapolated);
  }
}

TEST(CostPoints, AreLinearBetweenTwo) {
  EXPECT_EQ(estimate_at(three, 15).median, 150);
  EXPECT_EQ(estimate_at(three, 30).median, 250);
}

TEST(CostPoints, GoOnWithTheLastSlopeAndSaySo) {
  const Estimate estimate = estimate_at(three, 100);
  EXPECT_EQ(estimate.median, 600);
  EXPECT_TRUE(estimate.extrapolated);
}

TEST(CostPoints, StayAtTheFirstBeforeIt) {
  EXPECT_EQ(estimate_at(three, 0).median, 100);
  EXPECT_EQ(estimate_at(three, 9.99).median, 100);
  EXPECT_FALSE(estimate_at(three, 0).extrapolated);
}

TEST(CostPoints, AnswerForOnePoint) {
  const std::vector<CostPoint> one = {{10, 1, 2, 3}};
  EXPECT_EQ(estimate_at(one, 10).median, 2);
  EXPECT_FALSE(estimate_at(one, 10).extrapolated);
  EXPECT_EQ(estimate_at(one, 1e12).median, 2);
  EXPECT_TRUE(estimate_at(one, 1e12).extrapolated);
}

TEST(CostPoints, NeverBecomeCheaperBeyondTheLast) {
  const std::vector<CostPoint> falling = {{1, 80, 100, 120}, {2, 50, 60, 70}};
  EXPECT_EQ(estimate_at(falling, 1e9).median, 60);
}

TEST(CostPoints, TakeAnyNumberForASize) {
  for (const double at : {-1.0, 0.0, 1e300, std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN(),
                          static_cast<double>(std::numeric_limits<uint64_t>::max())}) {
    const Estimate estimate = estimate_at(three, at);
    EXPECT_TRUE(std::isfinite(estimate.median)) << at;
    EXPECT_LE(estimate.p10, estimate.median) << at;
    EXPECT_LE(estimate.median, estimate.p90) << at;
  }
}

// Whatever was measured: between two points lies what is between their times, and the parts of a
// range are in order.
TEST(CostPoints, AreInOrderForRandomTables) {
  std::mt19937_64 random(7);
  const auto number = [&](double most) {
    return std::exp(std::uniform_real_distribution<>(0, std::log(most))(random)) - 1;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<CostPoint> points;
    double at = 0;
    for (int i = std::uniform_int_distribution<>(1, 6)(random); i > 0; --i) {
      at += 1 + number(1e12);
      const double p10 = number(1e9), median = p10 + number(1e9);
      points.push_back({at, p10, median, median + number(1e9)});
    }
    ASSERT_EQ(complaint_about(points), "");
    for (int i = 0; i < 20; ++i) {
      const double wanted = number(1e15);
      const Estimate estimate = estimate_at(points, wanted);
      ASSERT_GE(estimate.p10, 0);
      ASSERT_LE(estimate.p10, estimate.median);
      ASSERT_LE(estimate.median, estimate.p90);
      ASSERT_TRUE(std::isfinite(estimate.p90));
      ASSERT_EQ(estimate.extrapolated, wanted > points.back().at);
      for (size_t k = 1; k < points.size(); ++k) {
        if (wanted < points[k - 1].at || wanted > points[k].at) continue;
        const auto [low, high] = std::minmax(points[k - 1].median, points[k].median);
        ASSERT_GE(estimate.median, low * (1 - 1e-9));
        ASSERT_LE(estimate.median, high * (1 + 1e-9));
      }
    }
  }
}

// Where more has never cost less, an estimate does not either.
TEST(CostPoints, AreMonotoneWhereTheMeasurementIs) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 500; ++round) {
    std::vector<CostPoint> points;
    double at = 0, median = 0;
    for (int i = 0; i < 5; ++i) {
      at += std::uniform_real_distribution<>(1, 1e6)(random);
      median += std::uniform_real_distribution<>(0, 1e6)(random);
      points.push_back({at, median, median, median});
    }
    double before = 0;
    for (double wanted = 0; wanted < 2 * at; wanted += at / 37) {
      const double now = estimate_at(points, wanted).median;
      ASSERT_GE(now, before * (1 - 1e-12));
      before = now;
    }
  }
}

TEST(CostPoints, SumsStayFinite) {
  Estimate sum;
  for (int i = 0; i < 100; ++i) sum += Estimate{9e18, 9.1e18, 9.2e18, i == 50};
  EXPECT_TRUE(std::isfinite(sum.p90));
  EXPECT_LE(sum.median, 9.2e18);
  EXPECT_TRUE(sum.extrapolated);
}

TEST(CostPoints, ComplainsOfWhatIsNoTable) {
  EXPECT_EQ(complaint_about({}), "it has no points");
  EXPECT_EQ(complaint_about({{10, 3, 2, 4}}),
            "its point at 10 has p10 3, median 2, p90 4, which are not in order");
  EXPECT_EQ(complaint_about({{10, 1, 2, 3}, {10, 1, 2, 3}}),
            "its points are not in order: 10 follows 10");
  EXPECT_EQ(complaint_about({{10, -1, 2, 3}}),
            "its point 1 has a number that is no time and no size: -1");
  EXPECT_NE(complaint_about({{std::nan(""), 1, 2, 3}}), "");
  EXPECT_NE(complaint_about({{1, 1, 2, std::numeric_limits<double>::infinity()}}), "");
}

}  // namespace
}  // namespace cuvette::tools
