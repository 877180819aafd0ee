// SPDX-License-Identifier: Apache-2.0
// Renderer: the OpenGL half. It makes the buffers and the texture that CUDA fills, and draws from
// them: light is added up in floating point, then developed like a photograph.
#pragma once

#include "examples/galaxy/camera.hpp"
#include "examples/galaxy/simulation.hpp"

namespace galaxy {

class Renderer {
 public:
  // With an OpenGL 4.5 context current.
  Renderer(const Model& model, const Camera& camera);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  const Shared& shared() const { return shared_; }

  // Draws `frame`, whose stars CUDA has written, into a framebuffer.
  void draw(int frame, GLuint framebuffer);

  // Returns how faint a trail is, by its age in frames; 0 if it has faded away.
  static float trail_brightness(int age) {
    return age == 0 ? 1.0f : 0.1f * std::exp(-0.16f * static_cast<float>(age));
  }

 private:
  void draw_glow();
  void draw_stars(int frame);
  void develop(GLuint framebuffer);

  const Camera camera_;
  const int stars_, clouds_;
  Shared shared_;
  GLuint stars_array_, nothing_array_;
  GLuint light_, light_framebuffer_;
  GLuint glow_program_, stars_program_, develop_program_;
};

}  // namespace galaxy
