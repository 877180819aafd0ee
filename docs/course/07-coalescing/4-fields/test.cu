// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <vector>

#include EXERCISE

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

__global__ void move(float* numbers, int bodies) {
  const int body = blockIdx.x * blockDim.x + threadIdx.x;
  if (body < bodies) numbers[place(body, 0, bodies)] += numbers[place(body, 3, bodies)];
}

bool every_place_is_used_once(int bodies) {
  std::vector<int> uses(4 * bodies);
  for (int body = 0; body < bodies; ++body) {
    for (int field = 0; field < 4; ++field) {
      const int at = place(body, field, bodies);
      if (at < 0 || at >= 4 * bodies) {
        std::printf("%d bodies: field %d of body %d is at %d, outside the array of %d\n", bodies,
                    field, body, at, 4 * bodies);
        return false;
      }
      if (uses[at]++) {
        std::printf("%d bodies: field %d of body %d is at %d, where another one is\n", bodies,
                    field, body, at);
        return false;
      }
    }
  }
  return true;
}

bool moves(int bodies) {
  std::vector<float> numbers(4 * bodies), found(4 * bodies);
  for (int body = 0; body < bodies; ++body)
    for (int field = 0; field < 4; ++field)
      numbers[place(body, field, bodies)] = 4 * body + field + 1;

  float* device;
  const size_t bytes = numbers.size() * sizeof(float);
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemcpy(device, numbers.data(), bytes, cudaMemcpyHostToDevice));
  move<<<(bodies + 63) / 64, 64>>>(device, bodies);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(found.data(), device, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));

  for (int body = 0; body < bodies; ++body) {
    for (int field = 0; field < 4; ++field) {
      const float expected = field == 0 ? 8 * body + 5 : 4 * body + field + 1;
      const float got = found[place(body, field, bodies)];
      if (got == expected) continue;
      std::printf("%d bodies: field %d of body %d: expected %g, got %g\n", bodies, field, body,
                  expected, got);
      return false;
    }
  }
  return true;
}

int main() {
  for (const int bodies : {1, 31, 64, 333, 2049})
    if (!every_place_is_used_once(bodies) || !moves(bodies)) return 1;
  std::printf("All bodies have moved.\n");
}
