// SPDX-License-Identifier: Apache-2.0
// The management library: initialisation and shutdown, handles, what an H200 says about itself, and
// the results of wrong arguments. Answers that differ between boards (UUIDs, sensors) are not
// printed.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

#include "harness.hpp"

namespace conformance {
inline void answer(const char* question, nvmlReturn_t result) {
  say(question, nvmlErrorString(result));
}
inline void prepared(const char* call, nvmlReturn_t result) {
  if (result == NVML_SUCCESS) return;
  answer((std::string("cannot be asked: ") + call).c_str(), result);
  _exit(3);
}
}  // namespace conformance

using namespace conformance;

static nvmlDevice_t begin() {
  nvmlDevice_t device = nullptr;
  PREPARE(nvmlInit_v2());
  PREPARE(nvmlDeviceGetHandleByIndex_v2(0, &device));
  return device;
}

static char text[100];
static unsigned one, two;
static int major, minor;
static nvmlEnableState_t state, other_state;
static nvmlPciInfo_t pci;
static nvmlMemory_t memory;
static nvmlMemory_v2_t memory_2;

// The functions that take a device and a place for one number.
static void ask_all(nvmlDevice_t device, unsigned* number) {
  ASK(nvmlDeviceGetName(device, text, sizeof text));
  ASK(nvmlDeviceGetUUID(device, text, sizeof text));
  ASK(nvmlDeviceGetIndex(device, number));
  ASK(nvmlDeviceGetMinorNumber(device, number));
  ASK(nvmlDeviceGetMultiGpuBoard(device, number));
  ASK(nvmlDeviceGetNumGpuCores(device, number));
  ASK(nvmlDeviceGetMemoryBusWidth(device, number));
  ASK(nvmlDeviceGetArchitecture(device, number));
  ASK(nvmlDeviceGetMaxMigDeviceCount(device, number));
  ASK(nvmlDeviceIsMigDeviceHandle(device, number));
  ASK(nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, number));
  ASK(nvmlDeviceGetMigMode(device, number, number));
  ASK(nvmlDeviceGetComputeRunningProcesses(device, number, nullptr));
  ASK(nvmlDeviceGetGraphicsRunningProcesses_v3(device, number, nullptr));
}

CASE(nvml_error_strings) {
  for (int code = -1; code < 40; ++code) answer(std::to_string(code).c_str(), nvmlReturn_t(code));
  ASK(NVML_ERROR_UNKNOWN);
}

CASE(nvml_before_init) {
  ask_all(nullptr, &one);
  ASK(nvmlShutdown());
  ASK(nvmlUnitGetCount(&one));
  ASK(nvmlDeviceGetCount_v2(&one));
  ASK(nvmlSystemGetDriverVersion(text, sizeof text));
  ASK(nvmlSystemGetNVMLVersion(text, sizeof text));
  ASK(nvmlSystemGetCudaDriverVersion(&major));
}

CASE(nvml_init_is_counted) {
  ASK(nvmlInit_v2());
  ASK(nvmlInit());
  ASK(nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS));
  ASK(nvmlInitWithFlags(8));
  for (int i = 0; i < 5; ++i) ASK(nvmlShutdown());
  ASK(nvmlDeviceGetCount_v2(&one));
}

CASE(nvml_after_fork) {
  begin();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    ASK(nvmlDeviceGetCount_v2(&one));
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  ASK(nvmlDeviceGetCount_v2(&one));
}

CASE(nvml_versions) {
  begin();
  for (unsigned size : {0, 10, 11, 13, 14, 80}) {
    ASK(nvmlSystemGetDriverVersion(text, size));
    ASK(nvmlSystemGetNVMLVersion(text, size));
  }
  ASK(text);
  ASK(nvmlSystemGetDriverVersion(text, sizeof text));
  ASK(text);
  ASK(nvmlSystemGetCudaDriverVersion(&major));
  ASK(major);
  ASK(nvmlSystemGetCudaDriverVersion_v2(&minor));
  ASK(minor);
  ASK(nvmlSystemGetDriverVersion(nullptr, 80));
  ASK(nvmlSystemGetNVMLVersion(nullptr, 80));
  ASK(nvmlSystemGetCudaDriverVersion(nullptr));
  ASK(nvmlUnitGetCount(&one));
  ASK(one);
  ASK(nvmlUnitGetCount(nullptr));
  ASK(nvmlGetExcludedDeviceCount(&one));
  ASK(one);
}

CASE(nvml_handles) {
  const nvmlDevice_t device = begin();
  nvmlDevice_t found = nullptr;
  ASK(nvmlDeviceGetCount(&one));
  ASK(one);
  ASK(nvmlDeviceGetCount_v2(nullptr));
  ASK(nvmlDeviceGetHandleByIndex(1, &found));
  ASK(nvmlDeviceGetHandleByIndex_v2(99, &found));
  ASK(nvmlDeviceGetHandleByIndex_v2(0, nullptr));
  for (const char* place : {"0000:00:06.0", "00000000:00:06.0", "00:06.0", "0:0:6", "0:0:6.1",
                            "00:06", " 0:0:6.0x", "0000:00:99.0", "x", ""}) {
    found = nullptr;
    answer(place, nvmlDeviceGetHandleByPciBusId_v2(place, &found));
    ASK(found == device);
  }
  ASK(nvmlDeviceGetHandleByPciBusId(nullptr, &found));
  PREPARE(nvmlDeviceGetUUID(device, text, sizeof text));
  const std::string uuid = text;
  for (const std::string& each : {uuid, uuid.substr(4), uuid.substr(0, 10), uuid + " ",
                                  "gpu" + uuid.substr(3), std::string()})
    ASK(nvmlDeviceGetHandleByUUID(each.c_str(), &found));
  ASK(nvmlDeviceGetHandleByUUID(nullptr, &found));
  ASK(nvmlDeviceGetHandleByUUID(uuid.c_str(), nullptr));
}

// Without a device, the functions that are missing here end the process in the driver's library.
CASE(nvml_no_device) {
  begin();
  ASK(nvmlDeviceGetName(nullptr, text, sizeof text));
  ASK(nvmlDeviceGetUUID(nullptr, text, sizeof text));
  ASK(nvmlDeviceGetIndex(nullptr, &one));
  ASK(nvmlDeviceGetMinorNumber(nullptr, &one));
  ASK(nvmlDeviceGetNumGpuCores(nullptr, &one));
  ASK(nvmlDeviceGetMemoryBusWidth(nullptr, &one));
  ASK(nvmlDeviceGetArchitecture(nullptr, &one));
  ASK(nvmlDeviceGetMaxMigDeviceCount(nullptr, &one));
  ASK(nvmlDeviceGetPciInfo_v3(nullptr, &pci));
  ASK(nvmlDeviceGetMemoryInfo(nullptr, &memory));
  ASK(nvmlDeviceGetCudaComputeCapability(nullptr, &major, &minor));
}

CASE(nvml_no_place) {
  const nvmlDevice_t device = begin();
  ask_all(device, nullptr);
  ASK(nvmlDeviceGetName(device, nullptr, 96));
  ASK(nvmlDeviceGetUUID(device, nullptr, 96));
  ASK(nvmlDeviceGetPciInfo_v3(device, nullptr));
  ASK(nvmlDeviceGetMemoryInfo(device, nullptr));
  ASK(nvmlDeviceGetMemoryInfo_v2(device, nullptr));
  ASK(nvmlDeviceGetCudaComputeCapability(device, nullptr, &minor));
  ASK(nvmlDeviceGetBrand(device, nullptr));
  ASK(nvmlDeviceGetComputeMode(device, nullptr));
  ASK(nvmlDeviceGetEccMode(device, &state, nullptr));
  ASK(nvmlDeviceGetFieldValues(device, 1, nullptr));
}

CASE(nvml_identity) {
  const nvmlDevice_t device = begin();
  for (unsigned size : {0, 5, 11, 12, 40, 41, 96}) {
    ASK(nvmlDeviceGetName(device, text, size));
    ASK(nvmlDeviceGetUUID(device, text, size));
  }
  ASK(nvmlDeviceGetName(device, text, sizeof text));
  ASK(text);
  ASK(nvmlDeviceGetIndex(device, &one));
  ASK(one);
  int same = 7;
  ASK(nvmlDeviceOnSameBoard(device, device, &same));
  ASK(same);
  ASK(nvmlDeviceGetMultiGpuBoard(device, &one));
  ASK(one);
}

// Which bytes the functions of each version write.
CASE(nvml_pci_infos) {
  const nvmlDevice_t device = begin();
  nvmlReturn_t (*const ages[])(nvmlDevice_t, nvmlPciInfo_t*) = {
      nvmlDeviceGetPciInfo, nvmlDeviceGetPciInfo_v2, nvmlDeviceGetPciInfo_v3};
  for (const auto age : ages) {
    memset(&pci, '!', sizeof pci);
    ASK(age(device, &pci));
    ASK(pci.busIdLegacy);
    ASK(pci.domain);
    ASK(pci.bus);
    ASK(pci.device);
    ASK(pci.pciDeviceId);
    ASK(pci.pciSubSystemId);
    answer("pci.busId", std::string(pci.busId, 17).c_str());
  }
}

CASE(nvml_model) {
  const nvmlDevice_t device = begin();
  nvmlBrandType_t brand{};
  nvmlComputeMode_t mode{};
  ASK(nvmlDeviceGetBrand(device, &brand));
  ASK(int(brand));
  ASK(nvmlDeviceGetArchitecture(device, &one));
  ASK(one);
  ASK(nvmlDeviceGetCudaComputeCapability(device, &major, &minor));
  ASK(major);
  ASK(minor);
  ASK(nvmlDeviceGetNumGpuCores(device, &one));
  ASK(one);
  ASK(nvmlDeviceGetMemoryBusWidth(device, &one));
  ASK(one);
  for (int type : {0, 1, 2, 4, 99}) {
    one = 7;
    ASK(nvmlDeviceGetMaxClockInfo(device, nvmlClockType_t(type), &one));
    ASK(one);
  }
  ASK(nvmlDeviceGetComputeMode(device, &mode));
  ASK(int(mode));
  ASK(nvmlDeviceGetEccMode(device, &state, &other_state));
  ASK(int(state));
  ASK(int(other_state));
  ASK(nvmlDeviceGetDisplayActive(device, &state));
  ASK(int(state));
  ASK(nvmlDeviceGetMigMode(device, &one, &two));
  ASK(one);
  ASK(two);
  ASK(nvmlDeviceGetMaxMigDeviceCount(device, &one));
  ASK(one);
  ASK(nvmlDeviceIsMigDeviceHandle(device, &one));
  ASK(one);
  nvmlDeviceAttributes_t attributes;
  nvmlDriverModel_t model;
  ASK(nvmlDeviceGetAttributes_v2(device, &attributes));
  ASK(nvmlDeviceGetDriverModel_v2(device, &model, &model));
  ASK(nvmlDeviceGetFanSpeed(device, &one));
}

CASE(nvml_fields) {
  const nvmlDevice_t device = begin();
  nvmlFieldValue_t values[3] = {};
  values[1].fieldId = 1;
  values[2].fieldId = NVML_FI_MAX;
  ASK(nvmlDeviceGetFieldValues(device, 3, values));
  for (const nvmlFieldValue_t& value : values) ASK(value.nvmlReturn);
  ASK(nvmlDeviceGetFieldValues(device, 0, values));
  ASK(nvmlDeviceGetFieldValues(device, -1, values));
}

CASE(nvml_peers) {
  const nvmlDevice_t device = begin();
  nvmlGpuTopologyLevel_t level{};
  nvmlGpuP2PStatus_t status{};
  ASK(nvmlDeviceGetTopologyCommonAncestor(device, device, &level));
  ASK(nvmlDeviceGetTopologyCommonAncestor(device, nullptr, &level));
  for (int what = 0; what < 7; ++what) {
    ASK(nvmlDeviceGetP2PStatus(device, device, nvmlGpuP2PCapsIndex_t(what), &status));
    ASK(int(status));
  }
  ASK(nvmlDeviceGetP2PStatus(device, nullptr, NVML_P2P_CAPS_INDEX_READ, &status));
  for (unsigned link : {0, 17, 18, 99}) ASK(nvmlDeviceGetNvLinkState(device, link, &state));
}

static void ask_memory(nvmlDevice_t device) {
  ASK(nvmlDeviceGetMemoryInfo(device, &memory));
  ASK(memory.total);
  ASK(memory.free);
  ASK(memory.used);
  memory_2.version = nvmlMemory_v2;
  ASK(nvmlDeviceGetMemoryInfo_v2(device, &memory_2));
  ASK(memory_2.total);
  ASK(memory_2.reserved);
  ASK(memory_2.free);
  ASK(memory_2.used);
}

template <typename Info>
static void ask_processes(nvmlReturn_t (*function)(nvmlDevice_t, unsigned*, Info*),
                          nvmlDevice_t device) {
  for (unsigned room : {0, 1, 4}) {
    Info infos[4] = {};
    ASK(function(device, &room, infos));
    ASK(room);
    ASK(infos[0].pid == unsigned(getpid()));
    ASK(infos[1].pid);
  }
}

CASE(nvml_memory_beside_cuda) {
  const nvmlDevice_t device = begin();
  ask_memory(device);
  for (unsigned version : {0u, 1u, 2u, 0x1000028u, 0x2000020u, 0x3000028u}) {
    memory_2.version = version;
    ASK(nvmlDeviceGetMemoryInfo_v2(device, &memory_2));
  }
  PREPARE(cuInit(0));
  ASK(nvmlDeviceGetMemoryInfo(device, &memory));
  ASK(memory.used);
  CUcontext context;
  CUdeviceptr bytes;
  PREPARE(cuCtxCreate(&context, nullptr, 0, 0));
  ask_memory(device);
  PREPARE(cuMemAlloc(&bytes, size_t{1} << 30));
  ask_memory(device);
  PREPARE(cuMemFree(bytes));
  ASK(nvmlDeviceGetMemoryInfo(device, &memory));
  ASK(memory.used);
  PREPARE(cuCtxDestroy(context));
  ASK(nvmlDeviceGetMemoryInfo(device, &memory));
  ASK(memory.used);
}

CASE(nvml_processes_beside_cuda) {
  const nvmlDevice_t device = begin();
  ask_processes(nvmlDeviceGetComputeRunningProcesses_v3, device);
  CUcontext context;
  PREPARE(cuInit(0));
  ask_processes(nvmlDeviceGetComputeRunningProcesses_v3, device);
  PREPARE(cuCtxCreate(&context, nullptr, 0, 0));
  ask_processes(nvmlDeviceGetComputeRunningProcesses, device);
  ask_processes(nvmlDeviceGetComputeRunningProcesses_v2, device);
  ask_processes(nvmlDeviceGetComputeRunningProcesses_v3, device);
  ask_processes(nvmlDeviceGetGraphicsRunningProcesses_v3, device);
  ask_processes(nvmlDeviceGetMPSComputeRunningProcesses_v3, device);
  PREPARE(cuCtxDestroy(context));
  ask_processes(nvmlDeviceGetComputeRunningProcesses_v3, device);
}

CASE(nvml_no_driver_is_started) {
  begin();
  ASK(nvmlDeviceGetCount_v2(&one));
  ASK(cuDeviceGetCount(&major));
}

int main(int count, char** names) { return run(count, names); }
