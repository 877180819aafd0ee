// SPDX-License-Identifier: Apache-2.0
// new, delete and alignas in kernels: each thread counts what is not as it should be.
#include <cstdio>
#include <memory>
#include <optional>
#include <variant>

struct Shape {
  __device__ explicit Shape(int sides) : sides(sides) {}
  __device__ virtual int area() const { return sides; }
  __device__ virtual ~Shape() { sides = 0; }
  int sides;
};
struct Square final : Shape {
  __device__ explicit Square(int side) : Shape(4), side(side) {}
  __device__ int area() const override { return side * side; }
  int side;
};
struct alignas(128) Line {
  char bytes[128];
};
template <class T>
struct Storage {
  alignas(T) alignas(32) char bytes[sizeof(T)];
};
static_assert(alignof(Line) == 128 && alignof(Storage<Line>) == 128 &&
              alignof(Storage<char>) == 32);

__device__ alignas(64) int in_global[3];
__constant__ alignas(32) int in_constant[3] = {1, 2, 3};

template <class T>
__device__ int misplaced(T* place, size_t alignment) {
  return !place || reinterpret_cast<size_t>(place) % alignment != 0;
}

__global__ void work(int* failures) {
  int wrong = 0;
  __shared__ alignas(8) unsigned long long both;
  static __shared__ alignas(Line) char more[3];
  extern __shared__ alignas(16) char dynamic[];
  alignas(16) int own[3] = {};
  wrong += misplaced(&both, 8) + misplaced(more, 128) + misplaced(dynamic, 16) +
           misplaced(own, 16) + misplaced(in_global, 64) + misplaced(in_constant, 32);

  Shape* const shapes[] = {new Shape(3), new Square(static_cast<int>(threadIdx.x))};
  wrong += shapes[0]->area() != 3;
  wrong += shapes[1]->area() != static_cast<int>(threadIdx.x * threadIdx.x);
  for (Shape* const shape : shapes) delete shape;

  int* const numbers = new int[100]{1, 2};
  wrong += numbers[1] != 2 || numbers[99] != 0;
  delete[] numbers;
  for (int n = 0; n < 4; ++n) {
    Line* const line = new Line;
    wrong += misplaced(line, 128);
    delete line;
    Line* const lines = new Line[3];
    wrong += misplaced(lines, 128);
    delete[] lines;
  }
  Storage<Square> storage;
  Shape* const placed = new (&storage) Square(5);
  wrong += placed->area() != 25;
  placed->~Shape();
  atomicAdd(failures, wrong);
}

int main() {
  int *failures, count = -1;
  cudaMalloc(&failures, sizeof(int));
  cudaMemset(failures, 0, sizeof(int));
  work<<<2, 64, 64>>>(failures);
  cudaMemcpy(&count, failures, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(failures);
  std::variant<int, double> host = 1.5;  // headers that use alignas
  printf("%d failures%s\n", count, std::get<double>(host) == 1.5 ? "" : ", and on the host");
}
