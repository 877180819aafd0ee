// SPDX-License-Identifier: Apache-2.0
// Queries. Floor: a call of an empty function in another library.
#include <unistd.h>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

// cuDriverGetVersion looks only at its argument.
double empty_call() {
  int version;
  return floor_ns([&] { cuDriverGetVersion(&version); });
}

void BM_cuCtxGetCurrent(benchmark::State& state) {
  set_scene();
  CUcontext context;
  against_floor(state, empty_call(), [&] { cuCtxGetCurrent(&context); });
}
BENCHMARK(BM_cuCtxGetCurrent);

void BM_cuStreamQuery(benchmark::State& state) {
  Streams streams;
  against_floor(state, empty_call(), [&] { cuStreamQuery(streams.a); });
}
BENCHMARK(BM_cuStreamQuery);

void BM_cuPointerGetAttribute(benchmark::State& state) {
  Buffer buffer(4096);
  unsigned type;
  against_floor(state, empty_call(), [&] {
    cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, buffer.address);
  });
}
BENCHMARK(BM_cuPointerGetAttribute);

void BM_cuPointerGetAttributes(benchmark::State& state) {
  Buffer buffer(4096);
  unsigned type;
  int device;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* values[] = {&type, &device};
  against_floor(state, empty_call(),
                [&] { cuPointerGetAttributes(2, attributes, values, buffer.address); });
}
BENCHMARK(BM_cuPointerGetAttributes);

}  // namespace
