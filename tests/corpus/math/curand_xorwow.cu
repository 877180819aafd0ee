// SPDX-License-Identifier: Apache-2.0
// cuRAND's generators in kernels: XORWOW and MRG32k3a, with states kept between kernels.
#include <curand_kernel.h>

#include "../corpus.hpp"

template <typename State>
__global__ void begin(State* states) {
  curand_init(42, threadIdx.x, 5, &states[threadIdx.x]);
}

template <typename State>
__global__ void draw(State* states, unsigned* out, float* reals) {
  State state = states[threadIdx.x];
  unsigned sum = 0;
  for (int i = 0; i < 10; ++i) sum = sum * 31 + curand(&state);
  out[threadIdx.x] = sum;
  reals[threadIdx.x] = curand_uniform(&state);
  states[threadIdx.x] = state;
}

template <typename State>
void run(const char* name) {
  Buffer<State> states(64);
  Buffer<unsigned> out(64);
  Buffer<float> reals(64);
  RUN(begin<<<1, 64>>>(states.get()));
  for (int i = 0; i < 2; ++i) {
    RUN(draw<<<1, 64>>>(states.get(), out.get(), reals.get()));
    corpus::show(name, out.read(), 4);
    corpus::show(name, reals.read(), 4);
  }
}

int main() {
  run<curandStateXORWOW_t>("xorwow");
  run<curandStateMRG32k3a_t>("mrg32k3a");
  return 0;
}
