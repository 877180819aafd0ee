// SPDX-License-Identifier: Apache-2.0
// A device that runs the benchmark's kernels: Cuvette, or PoCL, the other way to run them on a
// processor.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cuvette::bench {

// An argument of a kernel: an array of the host, or a scalar of four bytes.
struct Argument {
  std::vector<float>* array = nullptr;
  unsigned scalar = 0;  // its bits
};

struct Launch {
  std::string kernel;
  unsigned grid[2], block[2];
  std::vector<Argument> arguments;
};

// A kernel with its arguments on a device.
class Device {
 public:
  virtual ~Device() = default;
  // Copies the arrays to the device.
  virtual void prepare(const Launch& launch) = 0;
  virtual void enqueue() = 0;
  virtual void finish() = 0;
  // Returns the array of argument `index`, copied back.
  virtual std::vector<float> result(size_t index) = 0;
};

// `source`: the kernels in PTX.
std::unique_ptr<Device> make_cuda_device(const std::string& source);
// The kernels in OpenCL. Null where there is no PoCL, at build time or now.
std::unique_ptr<Device> make_pocl_device(const std::string& source);

}  // namespace cuvette::bench
