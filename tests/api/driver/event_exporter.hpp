// SPDX-License-Identifier: Apache-2.0
// A second process that exports events and memory for the test to import.
#pragma once

#include <cuda.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/peer.hpp"

inline constexpr unsigned shareable = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
inline constexpr unsigned lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
inline constexpr size_t size = 1 << 16;
inline constexpr int rounds = 100;

struct Offer {
  CUipcEventHandle there, back;
  CUipcMemHandle memory;
};

// A host function that waits for the test would hold up every step of a schedule for seconds.
inline bool held() { return !getenv("CUVETTE_SCHEDULE"); }
inline std::unique_ptr<Gate> hold(CUstream stream) {
  return held() ? std::make_unique<Gate>(stream) : nullptr;
}

// Defines what the exporting process does for each letter; it answers a CUresult, or a byte of its
// memory.
inline Peer<Offer>::Answer export_events(Offer& offer) {
  CUcontext context;
  static CUstream stream, other;
  static CUevent there, back;
  static CUdeviceptr memory;
  static std::unique_ptr<Gate> gate;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) ||
      cuStreamCreate(&other, CU_STREAM_NON_BLOCKING) || cuEventCreate(&there, shareable) ||
      cuEventCreate(&back, shareable) || cuMemAlloc(&memory, size) || cuMemsetD8(memory, 0, size) ||
      cuCtxSynchronize() || cuIpcGetEventHandle(&offer.there, there) ||
      cuIpcGetEventHandle(&offer.back, back) || cuIpcGetMemHandle(&offer.memory, memory))
    return {};
  return [](char letter) -> int {
    unsigned char byte = 0;
    switch (letter) {
      case 'g':
        gate = hold(stream);
        return 0;
      case 'o':
        gate = nullptr;
        return 0;
      case 'm':
        return cuMemsetD8Async(memory, 7, size, stream);
      case 'r':
        return cuEventRecord(there, stream);
      case 'R':
        return cuEventRecord(there, other);
      case 'b':
        return cuEventRecord(back, stream);
      case 'w':
        return cuStreamWaitEvent(stream, back, 0);
      case 'q':
        return cuEventQuery(back);
      case 's':
        return cuEventSynchronize(back);
      case 'x':
        return cuStreamSynchronize(stream);
      case 'y':
        return cuMemcpyDtoHAsync(&byte, memory, 1, other) || cuStreamSynchronize(other) ? -1 : byte;
      case 'd':
        return cuEventDestroy(there);
    }
    return -1;
  };
}

struct Imported {
  explicit Imported(const Peer<Offer>& peer) {
    EXPECT_EQ(cuIpcOpenEventHandle(&there, peer.offer.there), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcOpenEventHandle(&back, peer.offer.back), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcOpenMemHandle(&memory, peer.offer.memory, lazy), CUDA_SUCCESS);
  }
  CUevent there = nullptr, back = nullptr;
  CUdeviceptr memory = 0;
};

// Every way to order the work.
inline const std::vector<Environment> schedules{{},
                                                {{"CUVETTE_SCHEDULE", "eager"}},
                                                {{"CUVETTE_SCHEDULE", "lazy"}},
                                                {{"CUVETTE_SCHEDULE", "random:3"}},
                                                {{"CUVETTE_CHECK", "races"}}};
inline void run_each(const std::function<void()>& body) {
  for (const Environment& environment : schedules) {
    const std::string text = run_in_child(environment, body);
    EXPECT_EQ(text.find("orders the two"), std::string::npos) << text;
  }
}
