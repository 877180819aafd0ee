// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/wave_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using wave::Basin;

struct Vec2 {
  double x, y;
};
using Vec3 = std::array<double, 3>;

Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 operator*(const Vec3& a, double b) { return {a[0] * b, a[1] * b, a[2] * b}; }
double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 mix(const Vec3& a, const Vec3& b, double share) { return a * (1 - share) + b * share; }
double smoothstep(double from, double to, double value) {
  const double share = std::clamp((value - from) / (to - from), 0.0, 1.0);
  return share * share * (3 - 2 * share);
}
Vec3 normalize(const Vec3& a) { return a * (1 / std::sqrt(dot(a, a))); }

// Draws one picture; the functions are those of water.frag.
class Drawing {
 public:
  Drawing(const Basin& basin, const std::vector<float>& heights)
      : basin_(basin), heights_(heights), unit_(basin.height() / 270.0) {}

  Vec3 colour(int x, int y) const { return is_stone(x, y) ? stone(x, y) : water(x, y); }

 private:
  float height(int x, int y) const {
    x = std::clamp(x, 0, basin_.width() - 1);
    y = std::clamp(y, 0, basin_.height() - 1);
    return heights_[static_cast<size_t>(y) * static_cast<size_t>(basin_.width()) +
                    static_cast<size_t>(x)];
  }
  bool is_stone(int x, int y) const { return height(x, y) >= 50; }

  static double grain(int x, int y) {
    uint32_t bits = static_cast<uint32_t>(x) * 0x9e3779b1u ^ static_cast<uint32_t>(y) * 0x85ebca6bu;
    bits = (bits ^ bits >> 15) * 0x2c1b3c6du;
    return (bits >> 16 & 255) / 255.0;
  }

  Vec3 stone(int x, int y) const {
    const int edge = std::max(1, basin_.height() / 135);
    const double lit = is_stone(x - edge, y - edge) ? 0 : 1,
                 dark = is_stone(x + edge, y + edge) ? 0 : 1;
    const Vec3 sand{0.50, 0.42, 0.33};
    return sand * (0.92 + 0.12 * grain(x, y) + 0.35 * lit - 0.3 * dark);
  }

  Vec3 floor(const Vec2& place) const {
    const Vec2 tiles{place.x / (27 * unit_), place.y / (27 * unit_)};
    const double left = std::floor(tiles.x), top = std::floor(tiles.y);
    const auto from_edge = [](double share) { return 0.5 - std::abs(share - 0.5); };
    const double inside =
        smoothstep(0.02, 0.06, std::min(from_edge(tiles.x - left), from_edge(tiles.y - top)));
    const double tone = grain(static_cast<int>(left), static_cast<int>(top));
    const Vec3 tile = mix({0.012, 0.19, 0.30}, {0.022, 0.27, 0.38}, tone);
    return mix({0.10, 0.38, 0.44}, tile, inside);
  }

  double shadow(int x, int y) const {
    const int step = std::max(1, basin_.height() / 180);
    double sum = 0;
    for (int i = 1; i <= 6; ++i) sum += is_stone(x - i * step, y - i * step) ? 1 : 0;
    return sum / 6;
  }

  Vec3 water(int x, int y) const {
    const double here = height(x, y);
    const auto beside = [&](int right, int down) {
      const double there = height(x + right, y + down);
      return there >= 50 ? here : there;
    };
    const double left = beside(-1, 0), right = beside(1, 0), up = beside(0, -1),
                 down = beside(0, 1);
    const Vec2 slope{(right - left) * 0.5 * unit_, (down - up) * 0.5 * unit_};
    const double bend = (left + right + up + down - 4 * here) * unit_ * unit_;

    const double tilt = -(slope.x * 0.63 + slope.y * 0.77);
    const double depth = 90 * unit_;
    const Vec2 seen{x + 0.5 + slope.x * depth, y + 0.5 + slope.y * depth};
    const double light = std::exp2(std::clamp(-12 * bend, -1.5, 1.6)) * (1 - 0.6 * shadow(x, y));
    Vec3 result =
        floor(seen) * ((0.25 + 0.75 * light) * std::exp2(std::clamp(3 * tilt, -1.2, 0.5)));

    const Vec3 normal = normalize({-4 * slope.x, -4 * slope.y, 1});
    const Vec3 middle = normalize({-0.45, -0.55, 1.6});
    const double sky = std::clamp(0.03 + 2.2 * tilt, 0.0, 0.5);
    result = mix(result, {0.62, 0.80, 0.95}, sky);
    const double gloss = std::pow(std::max(dot(normal, middle), 0.0), 160.0) * (1 - shadow(x, y));
    return result + Vec3{1.0, 0.93, 0.78} * (0.9 * gloss);
  }

  const Basin& basin_;
  const std::vector<float>& heights_;
  const double unit_;
};

}  // namespace

Picture expected_picture(const Basin& basin, const std::vector<float>& heights) {
  const Drawing drawing(basin, heights);
  Picture picture(basin.width(), basin.height());
  for (int y = 0; y < basin.height(); ++y)
    for (int x = 0; x < basin.width(); ++x) {
      const Vec3 colour = drawing.colour(x, y);
      for (size_t i = 0; i < 3; ++i)
        picture.at(x, y)[i] =
            static_cast<uint8_t>(std::pow(std::clamp(colour[i], 0.0, 1.0), 1 / 2.2) * 255 + 0.5);
    }
  return picture;
}
