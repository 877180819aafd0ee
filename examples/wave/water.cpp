// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/water.hpp"

#include <utility>

#include "examples/need.hpp"
#include "examples/wave/kernels.hpp"

namespace wave {

Water::Water(const Basin& basin) : basin_(basin) {
  NEED(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  NEED(cuModuleLoadData(&module_, kernels));
  NEED(cuModuleGetFunction(&step_kernel_, module_, "step"));
  NEED(cuModuleGetFunction(&drop_kernel_, module_, "drop"));
  NEED(cuModuleGetFunction(&write_kernel_, module_, "write"));

  const size_t cells = basin.cells();
  NEED(cuMemAlloc(&walls_, cells));
  NEED(cuMemAlloc(&current_, cells * sizeof(float)));
  NEED(cuMemAlloc(&previous_, cells * sizeof(float)));
  NEED(cuMemcpyHtoDAsync(walls_, basin.walls().data(), cells, stream_));
  NEED(cuMemsetD32Async(current_, 0, cells, stream_));
  NEED(cuMemsetD32Async(previous_, 0, cells, stream_));
}

Water::~Water() {
  cuStreamSynchronize(stream_);
  for (const CUdeviceptr memory : {walls_, current_, previous_}) cuMemFree(memory);
  cuModuleUnload(module_);
  cuStreamDestroy(stream_);
}

void Water::advance(uint64_t frame) {
  if (const auto drop = basin_.drop(frame)) add(*drop);
  for (int i = 0; i < basin_.steps(); ++i) step();
}

void Water::write(CUsurfObject image) {
  int width = basin_.width(), height = basin_.height();
  float stone = Basin::stone;
  void* parameters[] = {&image, &current_, &walls_, &width, &height, &stone};
  launch(write_kernel_, parameters);
}

void Water::add(Drop drop) {
  int width = basin_.width(), height = basin_.height();
  float closeness = 1 / (drop.radius * drop.radius);
  void* parameters[] = {&current_, &previous_, &walls_,    &width,      &height,
                        &drop.x,   &drop.y,    &closeness, &drop.height};
  launch(drop_kernel_, parameters);
}

void Water::step() {
  int width = basin_.width(), height = basin_.height();
  float speed_squared = Basin::speed_squared, kept = Basin::kept;
  void* parameters[] = {&previous_, &current_, &walls_, &width, &height, &speed_squared, &kept};
  launch(step_kernel_, parameters);
  std::swap(current_, previous_);
}

// Launches a thread for each cell, and a few that lie outside.
void Water::launch(CUfunction kernel, void** parameters) {
  constexpr unsigned block_width = 32, block_height = 8;
  const auto width = static_cast<unsigned>(basin_.width()),
             height = static_cast<unsigned>(basin_.height());
  NEED(cuLaunchKernel(kernel, (width + block_width - 1) / block_width,
                      (height + block_height - 1) / block_height, 1, block_width, block_height, 1,
                      0, stream_, parameters, nullptr));
}

}  // namespace wave
