// SPDX-License-Identifier: Apache-2.0
#include "bench/api/driver/scene.hpp"
#include "bench/kernels/device.hpp"

namespace cuvette::bench {
namespace {

class CudaDevice : public Device {
 public:
  explicit CudaDevice(const std::string& source) {
    set_scene();
    NEED(cuModuleLoadData(&module_, source.c_str()));
  }
  ~CudaDevice() override {
    free_arrays();
    cuModuleUnload(module_);
  }

  void prepare(const Launch& launch) override {
    free_arrays();
    launch_ = launch;
    NEED(cuModuleGetFunction(&function_, module_, launch.kernel.c_str()));
    arrays_.resize(launch.arguments.size());
    values_.resize(launch.arguments.size());
    for (size_t i = 0; i < arrays_.size(); ++i) {
      const Argument& argument = launch_.arguments[i];
      values_[i] = argument.array ? static_cast<void*>(&arrays_[i]) : &launch_.arguments[i].scalar;
      if (!argument.array) continue;
      const size_t bytes = argument.array->size() * sizeof(float);
      NEED(cuMemAlloc(&arrays_[i], bytes));
      NEED(cuMemcpyHtoD(arrays_[i], argument.array->data(), bytes));
    }
  }
  void enqueue() override {
    NEED(cuLaunchKernel(function_, launch_.grid[0], launch_.grid[1], 1, launch_.block[0],
                        launch_.block[1], 1, 0, nullptr, values_.data(), nullptr));
  }
  void finish() override { NEED(cuCtxSynchronize()); }
  std::vector<float> result(size_t index) override {
    std::vector<float> array(launch_.arguments[index].array->size());
    NEED(cuMemcpyDtoH(array.data(), arrays_[index], array.size() * sizeof(float)));
    return array;
  }

 private:
  void free_arrays() {
    for (const CUdeviceptr array : arrays_)
      if (array) NEED(cuMemFree(array));
    arrays_.clear();
  }

  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  Launch launch_;
  std::vector<CUdeviceptr> arrays_;  // 0 for a scalar
  std::vector<void*> values_;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(const std::string& source) {
  return std::make_unique<CudaDevice>(source);
}

}  // namespace cuvette::bench
