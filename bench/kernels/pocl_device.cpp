// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/device.hpp"

#if CUVETTE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#endif

namespace cuvette::bench {

#if CUVETTE_OPENCL
namespace {

void need(cl_int result, const char* what) {
  if (result == CL_SUCCESS) return;
  std::fprintf(stderr, "PoCL: %s gives %d\n", what, result);
  std::exit(1);
}

cl_device_id find_device() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count; ++i) {
    char name[64] = {};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    cl_device_id device = nullptr;
    if (!std::strstr(name, "Portable Computing Language")) continue;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  return nullptr;
}

class PoclDevice : public Device {
 public:
  PoclDevice(cl_device_id device, const std::string& source) {
    cl_int result;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
    need(result, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &result);
    need(result, "clCreateCommandQueue");
    const char* text = source.c_str();
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &result);
    need(result, "clCreateProgramWithSource");
    need(clBuildProgram(program_, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  }
  ~PoclDevice() override {
    free_arrays();
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  void prepare(const Launch& launch) override {
    free_arrays();
    launch_ = launch;
    cl_int result;
    kernel_ = clCreateKernel(program_, launch.kernel.c_str(), &result);
    need(result, "clCreateKernel");
    arrays_.resize(launch.arguments.size());
    for (cl_uint i = 0; i < arrays_.size(); ++i) {
      const Argument& argument = launch.arguments[i];
      if (argument.array) {
        arrays_[i] =
            clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, argument.array->size() * sizeof(float),
                           argument.array->data(), &result);
        need(result, "clCreateBuffer");
        need(clSetKernelArg(kernel_, i, sizeof(cl_mem), &arrays_[i]), "clSetKernelArg");
      } else {
        need(clSetKernelArg(kernel_, i, sizeof argument.scalar, &argument.scalar),
             "clSetKernelArg");
      }
    }
  }
  void enqueue() override {
    const size_t block[] = {launch_.block[0], launch_.block[1]};
    const size_t all[] = {launch_.grid[0] * block[0], launch_.grid[1] * block[1]};
    need(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, all, block, 0, nullptr, nullptr),
         "clEnqueueNDRangeKernel");
  }
  void finish() override { need(clFinish(queue_), "clFinish"); }
  std::vector<float> result(size_t index) override {
    std::vector<float> array(launch_.arguments[index].array->size());
    need(clEnqueueReadBuffer(queue_, arrays_[index], CL_TRUE, 0, array.size() * sizeof(float),
                             array.data(), 0, nullptr, nullptr),
         "clEnqueueReadBuffer");
    return array;
  }

 private:
  void free_arrays() {
    for (const cl_mem array : arrays_)
      if (array) clReleaseMemObject(array);
    arrays_.clear();
    if (kernel_) clReleaseKernel(kernel_);
    kernel_ = nullptr;
  }

  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  Launch launch_;
  std::vector<cl_mem> arrays_;  // null for a scalar
};

}  // namespace

std::unique_ptr<Device> make_pocl_device(const std::string& source) {
  const cl_device_id device = find_device();
  return device ? std::make_unique<PoclDevice>(device, source) : nullptr;
}
#else
std::unique_ptr<Device> make_pocl_device(const std::string&) { return nullptr; }
#endif

}  // namespace cuvette::bench
