// SPDX-License-Identifier: Apache-2.0
// Simulation: the CUDA half. Each frame is work of one stream, between mapping OpenGL's buffers and
// texture and unmapping them.
//
// clang-format off
//   OpenGL draws       stream                                          OpenGL draws
//   ... frame n-1 |  map | compute | copy | copy, fill | copy | unmap  | frame n ...
//                 |      | stars   | to   | colours    | glow |        |
//                          (host)    buffer
// clang-format on
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
// After OpenGL's headers.
#include <cudaGL.h>

#include "examples/galaxy/model.hpp"

namespace galaxy {

// What both halves use, made by OpenGL.
struct Shared {
  // Room for this many generations of all stars. Each frame overwrites the oldest, and the others
  // stay: OpenGL draws them fainter and fainter, as trails.
  GLuint vertices;
  GLuint colours;
  GLuint glow;  // a texture of Glow::size squared, GL_RG32F
};

class Simulation {
 public:
  static constexpr int generations = 12;

  // With an OpenGL context current.
  Simulation(const Model& model, const Shared& shared);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Submits the work of a frame; frames come in order, beginning with 0. When it returns, OpenGL
  // may draw: what it draws comes after that work.
  void submit(int frame);

  // Returns where in the vertex buffer a frame's stars are.
  static int slot(int frame) { return frame % generations; }

 private:
  void compute();

  void begin(CUdeviceptr vertices);
  void submit_vertices(int frame, CUdeviceptr vertices);
  void submit_colours(int frame, CUdeviceptr colours);
  void submit_glow(CUarray array);

  const Model& model_;
  CUstream stream_;
  CUgraphicsResource resources_[3];  // vertices, colours, glow
  CUdeviceptr palette_;              // each star's own colour

  // In pinned memory, to be copied from asynchronously.
  Vertex* places_;
  float* cells_;

  // Used by the host functions, which run one after the other.
  int computed_ = 0;
  Glow glow_;
};

}  // namespace galaxy
