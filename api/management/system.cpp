// SPDX-License-Identifier: Apache-2.0
// The versions of what is below the library, and what the machine has besides devices: nothing.
#include "api/management/call.hpp"

using namespace cuvette::management;

namespace {

// The driver that Cuvette answers like: measured answers all come from it. The library's version
// is the interface's, followed by the driver's.
constexpr std::string_view driver_version = "580.159.04";
constexpr std::string_view library_version = NVML_API_VERSION_STR ".580.159.04";

nvmlReturn_t answer_cuda_version(int* version) {
  return call([&] { return answer(version, devices().front().profile().driver_version); });
}

nvmlReturn_t answer_none(unsigned* count) {
  return call([&] { return answer(count, 0); });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  return call([&] { return answer_text(version, length, driver_version); });
}

// Measured: it needs no nvmlInit.
nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  return answer_text(version, length, library_version);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* cudaDriverVersion) {
  return answer_cuda_version(cudaDriverVersion);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* cudaDriverVersion) {
  return answer_cuda_version(cudaDriverVersion);
}

nvmlReturn_t nvmlUnitGetCount(unsigned int* unitCount) { return answer_none(unitCount); }

nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned int* deviceCount) {
  return answer_none(deviceCount);
}

// The name before NVML 11, which the header does not declare.
[[gnu::visibility("default")]] nvmlReturn_t nvmlGetBlacklistDeviceCount(unsigned int* deviceCount) {
  return answer_none(deviceCount);
}

}  // extern "C"
