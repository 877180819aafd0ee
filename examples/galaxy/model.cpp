// SPDX-License-Identifier: Apache-2.0
#include "examples/galaxy/model.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "examples/galaxy/camera.hpp"

namespace galaxy {
namespace {

constexpr float two_pi = 6.2831853f;
constexpr float frame_time = 0.005f;
constexpr float arm_twist = 3.1f;
constexpr float arm_speed = 0.75f;

// The same numbers on every machine: each library has its own distributions.
class Random {
 public:
  float uniform() { return static_cast<float>(generator_() >> 8) / float{1 << 24}; }
  float between(float low, float high) { return low + (high - low) * uniform(); }
  // Around 0: the sum of three is close enough to a normal distribution for stars.
  float bell() { return (uniform() + uniform() + uniform() - 1.5f) / 1.5f; }

 private:
  std::mt19937 generator_{20240229};
};

// --- Orbits
// ---------------------------------------------------------------------------------------

// A spiral: how far an arm has turned at a radius.
float spiral(float radius) { return arm_twist * std::log(radius + 0.12f); }

// Far from the centre all stars have the same speed, so the outer ones take longer.
float speed(float radius) { return 0.55f / std::sqrt(radius * radius + 0.02f); }

// An old star's orbit is an ellipse, turned a little against the next smaller one: stars crowd
// where ellipses come close to each other, although each star passes through.
Orbit old_orbit(Random& random, float radius, float thickness) {
  const float roundness =
      1 - 0.26f * std::exp(-std::pow((radius - 0.5f) / 0.4f, 2.0f)) * std::min(1.0f, radius / 0.1f);
  return {radius,
          roundness,
          spiral(radius),
          random.uniform() * two_pi,
          speed(radius),
          random.bell() * thickness,
          0,
          false};
}

// Young stars do not live long enough to leave the arm in which they were born, one of two.
Orbit young_orbit(Random& random) {
  const float radius = 0.13f + 1.12f * std::pow(random.uniform(), 1.4f);
  const float side = random.uniform() < 0.5f ? 0 : two_pi / 2;
  const float width = 0.95f + 0.1f / (radius + 0.1f);
  const float beside = width * random.bell() * (0.25f + 1.5f * random.uniform() * random.uniform());
  return {radius, 1, 0, side + spiral(radius) + beside, arm_speed, random.bell() * 0.03f, 0, true};
}

// A radius of the disc, where there is more and more room but fewer and fewer stars.
float disc_radius(Random& random) {
  for (;;) {
    const float radius = -0.3f * std::log(1 - random.uniform() * 0.995f) -
                         0.1f * std::log(1 - random.uniform() * 0.98f);
    if (radius < 1.3f) return radius;
  }
}

// Behind the galaxy, as the camera sees it, and at rest.
Orbit far_orbit(Random& random) {
  const float right = random.between(-4.3f, 4.3f), up = random.between(-2.4f, 2.4f);
  std::array<float, 3> place;
  for (size_t i = 0; i < 3; ++i)
    place[i] = right * Camera::right()[i] + up * Camera::up()[i] - 6 * Camera::towards()[i];
  return {
      std::hypot(place[0], place[1]), 1, 0, std::atan2(place[1], place[0]), 0, place[2], 0, false};
}

// --- Stars
// ----------------------------------------------------------------------------------------

struct Body {
  Orbit orbit;
  Colour colour;
};

using Light = std::array<float, 3>;
constexpr Light gold = {1.0f, 0.66f, 0.34f}, white = {1.0f, 0.95f, 0.9f},
                blue = {0.36f, 0.56f, 1.0f}, rose = {1.0f, 0.28f, 0.42f},
                haze = {0.32f, 0.42f, 0.9f};

uint8_t to_byte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255 + 0.5f);
}

// Mixes the two colours and sets a brightness.
Colour mix(const Light& from, const Light& to, float share, float brightness) {
  Colour colour;
  for (size_t i = 0; i < 3; ++i) colour[i] = to_byte(from[i] + (to[i] - from[i]) * share);
  colour[3] = to_byte(brightness);
  return colour;
}

// Gas that is lit by newborn stars, or that only shows where it is.
Body make_cloud(Random& random) {
  Body cloud{young_orbit(random), {}};
  const bool glowing = random.uniform() < 0.4f;
  cloud.orbit.size = glowing ? random.between(4, 10) : random.between(24, 60);
  cloud.colour =
      glowing ? mix(rose, white, random.uniform() * 0.3f, random.between(0.2f, 0.5f))
              : mix(haze, gold, std::exp(-4.5f * cloud.orbit.radius), random.between(0.02f, 0.05f));
  return cloud;
}

Body make_star(Random& random) {
  Body star;
  // Many faint stars and few bright ones.
  const float luck = std::pow(random.uniform(), 18.0f), brightness = 0.11f + 0.89f * luck;
  const float kind = random.uniform();
  if (kind < 0.53f) {
    star = {young_orbit(random), mix(white, blue, random.uniform(), brightness)};
  } else {
    const float share = random.uniform() * 0.8f;
    if (kind < 0.67f) {  // a bulge is thick, a disc is thin
      const float radius = 0.42f * std::pow(random.uniform(), 1.6f);
      star.orbit = old_orbit(random, radius, 0.6f * (0.44f - radius));
    } else if (kind < 0.975f) {
      star.orbit = old_orbit(random, disc_radius(random), 0.03f);
    } else {
      star.orbit = far_orbit(random);
    }
    star.colour = mix(gold, white, share, brightness * 0.8f);
  }
  star.orbit.size = 1.7f + 3.2f * luck;
  return star;
}

}  // namespace

// --- Model
// ----------------------------------------------------------------------------------------

Model::Model(int stars) : clouds_(stars / 40) {
  Random random;
  std::vector<Body> bodies;
  while (bodies.size() < static_cast<size_t>(clouds_)) bodies.push_back(make_cloud(random));
  while (bodies.size() < static_cast<size_t>(stars)) bodies.push_back(make_star(random));
  std::sort(bodies.begin() + clouds_, bodies.end(),
            [](const Body& a, const Body& b) { return a.orbit.radius < b.orbit.radius; });
  for (const Body& body : bodies) {
    orbits_.push_back(body.orbit);
    colours_.push_back(body.colour);
  }
}

void Model::place(int frame, Vertex* vertices) const {
  const float time = static_cast<float>(frame) * frame_time;
  for (const Orbit& orbit : orbits_) {
    const float angle = orbit.phase + orbit.speed * time;
    const float along = orbit.radius * std::cos(angle),
                across = orbit.radius * orbit.roundness * std::sin(angle);
    const float cosine = std::cos(orbit.tilt), sine = std::sin(orbit.tilt);
    *vertices++ = {cosine * along - sine * across, sine * along + cosine * across, orbit.height,
                   orbit.size};
  }
}

void Model::brighten(const Vertex* vertices, Glow& glow) const {
  constexpr float fade = 0.85f;
  constexpr int size = Glow::size;
  for (float& cell : glow.cells) cell *= fade;
  // Each star lights the cells around it, nearer ones more.
  constexpr float reach = 2.5f;
  const float light = (1 - fade) * 2.2e4f / static_cast<float>(stars());
  for (int star = 0; star < stars(); ++star) {
    const float x = (vertices[star].x / Glow::extent + 1) * size / 2 - 0.5f,
                y = (vertices[star].y / Glow::extent + 1) * size / 2 - 0.5f;
    const int channel = orbits_[static_cast<size_t>(star)].young;
    const int left = std::max(0, static_cast<int>(std::ceil(x - reach))),
              right = std::min(size - 1, static_cast<int>(std::floor(x + reach)));
    const int top = std::max(0, static_cast<int>(std::ceil(y - reach))),
              bottom = std::min(size - 1, static_cast<int>(std::floor(y + reach)));
    for (int row = top; row <= bottom; ++row)
      for (int column = left; column <= right; ++column) {
        const float right_of = static_cast<float>(column) - x, below = static_cast<float>(row) - y;
        const float near = 1 - (right_of * right_of + below * below) / (reach * reach);
        if (near <= 0) continue;
        glow.cells[static_cast<size_t>((row * size + column) * Glow::channels + channel)] +=
            near * near * light;
      }
  }
}

Model::Range Model::shocked(int frame) const {
  // A thin shell grows until it has left the disc, and then begins again.
  const float radius = 0.1f + 0.0105f * static_cast<float>(frame % 128);
  const auto begin = orbits_.begin() + clouds_;
  const auto at = [&](float limit) {
    const auto found =
        std::lower_bound(begin, orbits_.end(), limit,
                         [](const Orbit& orbit, float value) { return orbit.radius < value; });
    return static_cast<int>(found - orbits_.begin());
  };
  const int first = at(radius);
  return {first, at(radius * 1.03f) - first};
}

}  // namespace galaxy
