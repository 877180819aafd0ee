// SPDX-License-Identifier: Apache-2.0
// Water: the CUDA half. It moves the water of a basin step by step, in memory of its own, and
// writes the heights into the image when it is its turn.
#pragma once

#include <cuda.h>

#include "examples/wave/basin.hpp"

namespace wave {

class Water {
 public:
  // With the context of the GPU current.
  explicit Water(const Basin& basin);
  ~Water();
  Water(const Water&) = delete;
  Water& operator=(const Water&) = delete;

  // All work goes into this stream, and nothing waits for it.
  CUstream stream() const { return stream_; }

  // Submits all steps of a frame; frames come in order, beginning with 1.
  void advance(uint64_t frame);
  // Submits writing the heights into an image as large as the basin.
  void write(CUsurfObject image);

 private:
  void launch(CUfunction kernel, void** parameters);
  void add(Drop drop);
  void step();

  const Basin& basin_;
  CUstream stream_;
  CUmodule module_;
  CUfunction step_kernel_, drop_kernel_, write_kernel_;
  CUdeviceptr walls_;
  // The heights of now, and those of one step earlier, which the next step overwrites.
  CUdeviceptr current_, previous_;
};

}  // namespace wave
