// SPDX-License-Identifier: Apache-2.0
// Calls of the management library in any order, from several threads: before it is initialised and
// after it is shut down, with odd devices, texts, lengths and numbers of elements, while the driver
// allocates and resets. Nothing may crash, and nothing may be written beyond what the caller
// offers.
#include <cuda.h>
#include <nvml.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

constexpr size_t most = 128;
constexpr unsigned char untouched = 0xa5;

// A place for a text or for elements, with bytes behind it that nobody may write.
template <typename Element>
class Offered {
 public:
  explicit Offered(size_t count) : bytes_(count * sizeof(Element) + margin, untouched) {}
  ~Offered() {
    for (size_t i = bytes_.size() - margin; i < bytes_.size(); ++i)
      if (bytes_[i] != untouched) std::abort();
  }
  Offered(const Offered&) = delete;
  Offered& operator=(const Offered&) = delete;
  Element* get() { return reinterpret_cast<Element*>(bytes_.data()); }

 private:
  static constexpr size_t margin = 64;
  std::vector<unsigned char> bytes_;
};

struct Run {
  Input input;
  std::vector<nvmlDevice_t> devices;

  nvmlDevice_t device() {
    switch (input.below(8)) {
      case 0:
        return nullptr;
      case 1:
        return (nvmlDevice_t)(uintptr_t)input.number();
      default:
        return devices.empty() ? nullptr : devices[input.byte() % devices.size()];
    }
  }
  void keep(nvmlReturn_t result, nvmlDevice_t one) {
    if (result == NVML_SUCCESS) devices.push_back(one);
  }
  std::string text() {
    std::string text = input.flip() ? "GPU-" : "";
    for (unsigned i = input.below(48); i > 0; --i) text += static_cast<char>(1 + input.below(255));
    return text;
  }
};

using Step = void (*)(Run&);

// A function that writes a text of at most so many characters.
template <nvmlReturn_t (*function)(nvmlDevice_t, char*, unsigned)>
void device_text(Run& r) {
  const unsigned length = r.input.below(most);
  Offered<char> text(length);
  function(r.device(), r.input.below(16) ? text.get() : nullptr, length);
}
template <nvmlReturn_t (*function)(char*, unsigned)>
void system_text(Run& r) {
  const unsigned length = r.input.below(most);
  Offered<char> text(length);
  function(r.input.below(16) ? text.get() : nullptr, length);
}
// A function that writes one element.
template <typename Element, nvmlReturn_t (*function)(nvmlDevice_t, Element*)>
void element(Run& r) {
  Offered<Element> one(1);
  function(r.device(), r.input.below(16) ? one.get() : nullptr);
}
// A function that writes at most as many elements as `count` says.
template <typename Element, nvmlReturn_t (*function)(nvmlDevice_t, unsigned*, Element*)>
void elements(Run& r) {
  unsigned count = r.input.below(4);
  Offered<Element> list(count);
  function(r.device(), r.input.below(16) ? &count : nullptr, r.input.flip() ? list.get() : nullptr);
}

constexpr Step steps[] = {
    [](Run&) { nvmlInit_v2(); },
    [](Run& r) { nvmlInitWithFlags(r.input.byte()); },
    [](Run& r) {
      if (r.input.below(4) == 0) nvmlShutdown();
    },
    [](Run& r) { nvmlErrorString(static_cast<nvmlReturn_t>(r.input.number())); },
    [](Run& r) {
      nvmlDevice_t one;
      r.keep(nvmlDeviceGetHandleByIndex_v2(r.input.below(4), &one), one);
    },
    [](Run& r) {
      nvmlDevice_t one;
      r.keep(nvmlDeviceGetHandleByUUID(r.text().c_str(), &one), one);
    },
    [](Run& r) {
      nvmlDevice_t one;
      r.keep(nvmlDeviceGetHandleByPciBusId_v2(r.text().c_str(), &one), one);
    },
    // A device by the names that it has itself.
    [](Run& r) {
      char uuid[most];
      nvmlPciInfo_t place;
      nvmlDevice_t one;
      const nvmlDevice_t known = r.device();
      if (nvmlDeviceGetUUID(known, uuid, most) == NVML_SUCCESS)
        r.keep(nvmlDeviceGetHandleByUUID(uuid, &one), one);
      if (nvmlDeviceGetPciInfo_v3(known, &place) == NVML_SUCCESS)
        r.keep(nvmlDeviceGetHandleByPciBusId_v2(place.busId, &one), one);
    },
    device_text<nvmlDeviceGetName>,
    device_text<nvmlDeviceGetUUID>,
    device_text<nvmlDeviceGetSerial>,
    system_text<nvmlSystemGetDriverVersion>,
    system_text<nvmlSystemGetNVMLVersion>,
    element<unsigned, nvmlDeviceGetIndex>,
    element<unsigned, nvmlDeviceGetMinorNumber>,
    element<unsigned, nvmlDeviceGetMultiGpuBoard>,
    element<unsigned, nvmlDeviceGetNumGpuCores>,
    element<unsigned, nvmlDeviceGetMemoryBusWidth>,
    element<unsigned, nvmlDeviceGetArchitecture>,
    element<nvmlBrandType_t, nvmlDeviceGetBrand>,
    element<nvmlComputeMode_t, nvmlDeviceGetComputeMode>,
    element<nvmlMemory_t, nvmlDeviceGetMemoryInfo>,
    element<nvmlUtilization_t, nvmlDeviceGetUtilizationRates>,
    element<nvmlPciInfo_t, nvmlDeviceGetPciInfo_v3>,
    elements<nvmlProcessInfo_t, nvmlDeviceGetComputeRunningProcesses_v3>,
    elements<nvmlProcessInfo_t, nvmlDeviceGetGraphicsRunningProcesses_v3>,
    elements<nvmlProcessInfo_t, nvmlDeviceGetMPSComputeRunningProcesses_v3>,
    [](Run& r) {
      Offered<nvmlMemory_v2_t> memory(1);
      memory.get()->version =
          r.input.flip() ? nvmlMemory_v2 : static_cast<unsigned>(r.input.number());
      nvmlDeviceGetMemoryInfo_v2(r.device(), memory.get());
    },
    [](Run& r) {
      const unsigned count = r.input.below(6);
      Offered<nvmlFieldValue_t> values(count);
      for (unsigned i = 0; i < count; ++i)
        values.get()[i].fieldId =
            r.input.below(8) ? r.input.byte() : static_cast<unsigned>(r.input.number());
      nvmlDeviceGetFieldValues(r.device(), static_cast<int>(count),
                               r.input.below(16) ? values.get() : nullptr);
    },
    [](Run& r) {
      nvmlGpuP2PStatus_t status;
      nvmlDeviceGetP2PStatus(r.device(), r.device(),
                             static_cast<nvmlGpuP2PCapsIndex_t>(r.input.below(16)), &status);
    },
    [](Run& r) {
      nvmlGpuTopologyLevel_t level;
      nvmlDeviceGetTopologyCommonAncestor(r.device(), r.device(), &level);
    },
    [](Run& r) {
      unsigned clock;
      nvmlDeviceGetMaxClockInfo(r.device(), static_cast<nvmlClockType_t>(r.input.below(16)),
                                &clock);
    },
    // What the driver does meanwhile.
    [](Run& r) {
      CUdeviceptr memory;
      CUcontext context;
      if (cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return;
      if (cuMemAlloc(&memory, r.input.size()) == CUDA_SUCCESS) cuMemFree(memory);
      cuDevicePrimaryCtxRelease(0);
    },
};

void run(const uint8_t* data, size_t size) {
  Run run{Input(data, size), {}};
  while (!run.input.empty()) steps[run.input.byte() % std::size(steps)](run);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool ready = [] {
    stderr = std::fopen("/dev/null", "w");
    return cuInit(0) == CUDA_SUCCESS;
  }();
  if (!ready) std::abort();
  std::thread other(run, data, size / 2);
  run(data + size / 2, size - size / 2);
  other.join();
  while (nvmlShutdown() == NVML_SUCCESS) {
  }
  return 0;
}
