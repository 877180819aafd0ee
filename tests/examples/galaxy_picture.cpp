// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/galaxy_picture.hpp"

#include <algorithm>
#include <cmath>

namespace {

using galaxy::Camera;
using galaxy::Glow;
using galaxy::Vertex;

constexpr int generations = 12;
double trail_brightness(int age) { return age == 0 ? 1 : 0.1 * std::exp(-0.16 * age); }

double dot(const Camera::Axis& axis, const Vertex& vertex) {
  return double{axis[0]} * vertex.x + double{axis[1]} * vertex.y + double{axis[2]} * vertex.z;
}

// The glow at a place of the disc, interpolated between four cells.
std::array<double, 2> sample(const Glow& glow, double x, double y) {
  const auto cell_of = [](double place) {
    return (place / Glow::extent + 1) / 2 * Glow::size - 0.5;
  };
  const double column = cell_of(x), row = cell_of(y);
  const double left = std::floor(column), top = std::floor(row);
  std::array<double, 2> sum{};
  for (const int step : {0, 1, 2, 3}) {
    const int cell_x = std::clamp(static_cast<int>(left) + step % 2, 0, Glow::size - 1),
              cell_y = std::clamp(static_cast<int>(top) + step / 2, 0, Glow::size - 1);
    const double share =
        (step % 2 ? column - left : 1 - (column - left)) * (step / 2 ? row - top : 1 - (row - top));
    for (const size_t channel : {0, 1})
      sum[channel] +=
          share * glow.cells[static_cast<size_t>(cell_y * Glow::size + cell_x) * 2 + channel];
  }
  return sum;
}

}  // namespace

ExpectedPicture::ExpectedPicture(int stars, int frames, const Camera& camera, bool trails)
    : camera_(camera),
      lights_(static_cast<size_t>(camera.width) * static_cast<size_t>(camera.height)) {
  const galaxy::Model model(stars);
  std::vector<std::vector<Vertex>> places;
  Glow glow;
  for (int frame = 0; frame < frames; ++frame) {
    places.emplace_back(static_cast<size_t>(stars));
    model.place(frame, places.back().data());
    model.brighten(places.back().data(), glow);
  }
  std::vector<galaxy::Colour> colours = model.colours();
  const auto shocked = model.shocked(frames - 1);
  std::fill_n(colours.begin() + shocked.first, shocked.count, galaxy::Model::shock_colour);

  add_glow(glow);
  for (int age = 0; age < (trails ? std::min(generations, frames) : 1); ++age) {
    add_stars(places[static_cast<size_t>(frames - 1 - age)], colours, age == 0 ? 0 : model.clouds(),
              trail_brightness(age));
  }
}

ExpectedPicture::Light& ExpectedPicture::light(int x, int row_from_below) {
  return lights_[static_cast<size_t>(row_from_below) * static_cast<size_t>(camera_.width) +
                 static_cast<size_t>(x)];
}

void ExpectedPicture::add_stars(const std::vector<Vertex>& vertices,
                                const std::vector<galaxy::Colour>& colours, int first,
                                double brightness) {
  for (size_t star = static_cast<size_t>(first); star < vertices.size(); ++star) {
    const Vertex& vertex = vertices[star];
    const double depth = Camera::distance - dot(Camera::towards(), vertex);
    const double x = dot(Camera::right(), vertex) / camera_.aspect() * Camera::zoom / depth,
                 y = dot(Camera::up(), vertex) * Camera::zoom / depth;
    if (std::abs(x) > 1 || std::abs(y) > 1) continue;  // OpenGL clips points by their centres
    const double column = (x + 1) / 2 * camera_.width, row = (y + 1) / 2 * camera_.height;
    const double radius = std::max(1.0, double{vertex.size} * camera_.scale()) / 2;
    const int left = std::max(0, static_cast<int>(std::ceil(column - radius - 0.5))),
              right =
                  std::min(camera_.width - 1, static_cast<int>(std::floor(column + radius - 0.5)));
    const int below = std::max(0, static_cast<int>(std::ceil(row - radius - 0.5))),
              above =
                  std::min(camera_.height - 1, static_cast<int>(std::floor(row + radius - 0.5)));
    const double strength = colours[star][3] / 255.0 * brightness;
    for (int pixel_y = below; pixel_y <= above; ++pixel_y)
      for (int pixel_x = left; pixel_x <= right; ++pixel_x) {
        const double dx = (pixel_x + 0.5 - column) / radius, dy = (pixel_y + 0.5 - row) / radius;
        const double inside = std::max(0.0, 1 - dx * dx - dy * dy);
        for (size_t i = 0; i < 3; ++i)
          light(pixel_x, pixel_y)[i] += colours[star][i] / 255.0 * strength * inside * inside;
      }
  }
}

// Adds, for each pixel, the glow where its line of sight meets the disc.
void ExpectedPicture::add_glow(const Glow& glow) {
  const double tip_cosine = std::cos(double{Camera::inclination}),
               tip_sine = std::sin(double{Camera::inclination});
  const double turn_cosine = std::cos(double{Camera::turn}),
               turn_sine = std::sin(double{Camera::turn});
  for (int row = 0; row < camera_.height; ++row)
    for (int column = 0; column < camera_.width; ++column) {
      const double right =
                       ((column + 0.5) / camera_.width * 2 - 1) * camera_.aspect() / Camera::zoom,
                   up = ((row + 0.5) / camera_.height * 2 - 1) / Camera::zoom;
      // Coordinates in the disc before it is turned: `far` leads away from the camera, `side` to
      // its right.
      const double far = up * Camera::distance / (tip_cosine - up * tip_sine);
      const double side = right * (Camera::distance + tip_sine * far);
      const double x = turn_cosine * side - turn_sine * far,
                   y = turn_sine * side + turn_cosine * far;
      if (std::abs(x) > Glow::extent || std::abs(y) > Glow::extent) continue;
      const auto [old, young] = sample(glow, x, y);
      const double from_old[] = {0.0045, 0.0029, 0.0016}, from_young[] = {0.0007, 0.0011, 0.0034};
      for (size_t i = 0; i < 3; ++i)
        light(column, row)[i] += old * from_old[i] + young * from_young[i];
    }
}

std::array<uint8_t, 3> ExpectedPicture::at(int x, int y) const {
  const Light& light = const_cast<ExpectedPicture*>(this)->light(x, camera_.height - 1 - y);
  std::array<uint8_t, 3> pixel;
  for (size_t i = 0; i < 3; ++i)
    pixel[i] = static_cast<uint8_t>(std::pow(1 - std::exp(-1.6 * light[i]), 1 / 2.2) * 255 + 0.5);
  return pixel;
}
