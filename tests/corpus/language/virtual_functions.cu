// SPDX-License-Identifier: Apache-2.0
// Virtual functions: objects made in one kernel and called in another, each lane with another
// class.
#include "../corpus.hpp"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Circle : Shape {
  float r;
  __device__ explicit Circle(float radius) : r(radius) {}
  __device__ float area() const override { return 3 * r * r; }
};
struct Box : Shape {
  float w, h;
  __device__ Box(float a, float b) : w(a), h(b) {}
  __device__ float area() const override { return w * h; }
  __device__ int corners() const override { return 4; }
};
struct Square : Box {
  __device__ explicit Square(float a) : Box(a, a) {}
  __device__ int corners() const override { return Box::corners() + 10; }
};

__global__ void make(Shape** shapes) {
  const int t = threadIdx.x;
  if (t % 3 == 0)
    shapes[t] = new Circle(t);
  else if (t % 3 == 1)
    shapes[t] = new Box(t, 2);
  else
    shapes[t] = new Square(t * 0.5f);
}

__global__ void use(Shape** shapes, float* out) {
  const Shape* const shape = shapes[(threadIdx.x * 7) % 64];
  out[threadIdx.x] = shape->area() + 1000 * shape->corners();
}

__global__ void drop(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
  Buffer<Shape*> shapes(64);
  Buffer<float> out(64);
  RUN(make<<<1, 64>>>(shapes));
  RUN(use<<<1, 64>>>(shapes, out));
  corpus::show("areas", out.read(), 12);
  RUN(drop<<<1, 64>>>(shapes));
  return 0;
}
