// SPDX-License-Identifier: Apache-2.0
// Linear systems and sparse matrices: LU with pivots, Cholesky and QR in shared memory, Jacobi,
// conjugate gradients, sparse products in three forms, eigenvalues by rotations. Results are
// rounded.
#include <algorithm>

#include "../corpus.hpp"

constexpr int N = 24;

__global__ void lu(const double* a, double* x, int* order) {
  __shared__ double m[N][N + 1];
  __shared__ int pivot;
  const int c = threadIdx.x, r = threadIdx.y;
  m[r][c] = a[r * (N + 1) + c];
  __syncthreads();
  for (int k = 0; k < N; ++k) {
    if (c == 0 && r == 0) {
      pivot = k;
      for (int i = k + 1; i < N; ++i)
        if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
      order[k] = pivot;
    }
    __syncthreads();
    if (r == 0 && pivot != k) {
      const double t = m[k][c];
      m[k][c] = m[pivot][c], m[pivot][c] = t;
    }
    __syncthreads();
    const double factor = m[r][k] / m[k][k];
    __syncthreads();
    if (r > k && c >= k) m[r][c] -= factor * m[k][c];
    __syncthreads();
  }
  if (c == 0 && r == 0)
    for (int i = N - 1; i >= 0; --i) {
      double s = m[i][N];
      for (int j = i + 1; j < N; ++j) s -= m[i][j] * x[j];
      x[i] = s / m[i][i];
    }
}

__global__ void cholesky(const float* a, float* l) {
  __shared__ float m[N * N];
  const int t = threadIdx.x;
  for (int i = t; i < N * N; i += blockDim.x) m[i] = a[i];
  __syncthreads();
  for (int k = 0; k < N; ++k) {
    if (t == 0) m[k * N + k] = sqrtf(m[k * N + k]);
    __syncthreads();
    for (int i = k + 1 + t; i < N; i += blockDim.x) m[i * N + k] /= m[k * N + k];
    __syncthreads();
    for (int i = k + 1 + t; i < N; i += blockDim.x)
      for (int j = k + 1; j <= i; ++j) m[i * N + j] -= m[i * N + k] * m[j * N + k];
    __syncthreads();
  }
  for (int i = t; i < N * N; i += blockDim.x) l[i] = i % N <= i / N ? m[i] : 0;
}

// Householder reflections by one warp.
__global__ void qr(const double* a, double* out) {
  __shared__ double m[N][N];
  const int t = threadIdx.x;
  for (int i = t; i < N * N; i += 32) m[i / N][i % N] = a[i / N * (N + 1) + i % N];
  __syncwarp();
  for (int k = 0; k < N - 1; ++k) {
    double mine = t >= k && t < N ? m[t][k] : 0, norm = mine * mine;
    for (int d = 16; d; d /= 2) norm += __shfl_xor_sync(~0u, norm, d);
    norm = sqrt(norm);
    const double head = __shfl_sync(~0u, mine, k), alpha = head > 0 ? -norm : norm;
    double v = t == k ? mine - alpha : mine, square = v * v;
    for (int d = 16; d; d /= 2) square += __shfl_xor_sync(~0u, square, d);
    if (square == 0) continue;
    for (int c = k; c < N; ++c) {
      double dot = t < N ? v * m[t][c] : 0;
      for (int d = 16; d; d /= 2) dot += __shfl_xor_sync(~0u, dot, d);
      if (t < N) m[t][c] -= 2 * v * dot / square;
      __syncwarp();
    }
  }
  if (t < N) out[t] = rint(fabs(m[t][t]) * 1e6) / 1e6;
}

__global__ void jacobi(const double* a, double* x, double* error) {
  __shared__ double old[N];
  const int t = threadIdx.x;
  double v = 0;
  for (int step = 0; step < 200; ++step) {
    old[t] = v;
    __syncthreads();
    double s = a[t * (N + 1) + N];
    for (int j = 0; j < N; ++j)
      if (j != t) s -= a[t * (N + 1) + j] * old[j];
    v = s / a[t * (N + 1) + t];
    const bool done = __syncthreads_and(fabs(v - old[t]) < 1e-12);
    if (done) break;
  }
  x[t] = v, error[t] = fabs(v - old[t]) < 1e-9;
}

// Sparse rows: one thread, one warp, or a few lanes for each row.
__global__ void rows_by_thread(int n, const int* begin, const int* column, const float* value,
                               const float* x, float* y) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0;
  for (int k = begin[r]; k < begin[r + 1]; ++k) s += value[k] * x[column[k]];
  y[r] = s;
}
template <int lanes>
__global__ void rows_by_lanes(int n, const int* __restrict__ begin, const int* __restrict__ column,
                              const float* __restrict__ value, const float* __restrict__ x,
                              float* y) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / lanes, lane = threadIdx.x % lanes;
  float s = 0;
  if (r < n)
    for (int k = begin[r] + lane; k < begin[r + 1]; k += lanes)
      s += __ldg(&value[k]) * __ldg(&x[column[k]]);
#pragma unroll
  for (int d = lanes / 2; d; d /= 2) s += __shfl_down_sync(~0u, s, d, lanes);
  if (r < n && lane == 0) y[r] = s;
}
__global__ void by_entries(int entries, const int* row, const int* column, const float* value,
                           const float* x, float* y) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < entries; k += gridDim.x * blockDim.x)
    atomicAdd(&y[row[k]], value[k] * x[column[k]]);
}

__device__ double block_sum(double v) {
  __shared__ double parts[32];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
  if (threadIdx.x < 32) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) parts[0] = v;
  }
  __syncthreads();
  v = parts[0];
  __syncthreads();
  return v;
}
// A tridiagonal system by conjugate gradients.
__global__ void gradients(double* out, int* steps) {
  __shared__ double p[128];
  const int t = threadIdx.x, n = blockDim.x;
  double x = 0, r = 1 + t % 3, q = r, rr = block_sum(r * r);
  int k = 0;
  for (; k < 300 && rr > 1e-20; ++k) {
    p[t] = q;
    __syncthreads();
    const double ap = 2.5 * q - (t ? p[t - 1] : 0) - (t < n - 1 ? p[t + 1] : 0);
    const double alpha = rr / block_sum(q * ap);
    x += alpha * q, r -= alpha * ap;
    const double next = block_sum(r * r);
    q = r + next / rr * q, rr = next;
  }
  out[t] = rint(x * 1e8) / 1e8;
  if (t == 0) *steps = k < 300;
}

int main() {
  std::vector<double> a(N * (N + 1));
  std::vector<float> spd(N * N);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j <= N; ++j)
      a[i * (N + 1) + j] =
          static_cast<int>(corpus::scramble(i * 100 + j) % 19) - 9 + (i == j ? 200 : 0);
    for (int j = 0; j < N; ++j) spd[i * N + j] = (i == j ? 30.0f : 1.0f / (1 + abs(i - j)));
  }
  Buffer<double> da(a), x(128), error(128);
  Buffer<float> ds(spd), l(N * N);
  Buffer<int> order(N);
  const auto rounded = [](const char* name, auto values, double digits) {
    for (auto& v : values) v = std::rint(v * digits) / digits + 0.0;
    corpus::show(name, values);
  };
  RUN(lu<<<1, dim3(N + 1, N)>>>(da, x, order));
  rounded("lu", x.read(), 1e9);
  corpus::show("order", order.read());
  RUN(cholesky<<<1, 64>>>(ds, l));
  rounded("cholesky", l.read(), 1e3);
  RUN(qr<<<1, 32>>>(da, x));
  rounded("qr", x.read(), 1e5);
  RUN(jacobi<<<1, N>>>(da, x, error));
  rounded("jacobi", x.read(), 1e8);
  corpus::show("converged", error.read());
  const int n = 500;
  std::vector<int> begin{0}, column, row;
  std::vector<float> value;
  for (int r = 0; r < n; ++r) {
    const int count = corpus::scramble(r) % 40;
    for (int k = 0; k < count; ++k)
      column.push_back(corpus::scramble(r * 50 + k) % n),
          value.push_back((corpus::scramble(r + k * 7) % 9 - 4.0f) / 4), row.push_back(r);
    begin.push_back(static_cast<int>(column.size()));
  }
  Buffer<int> db(begin), dc(column), dr(row);
  Buffer<float> dv(value), dx(corpus::floats(n)), y(n);
  RUN(rows_by_thread<<<4, 128>>>(n, db, dc, dv, dx, y));
  corpus::show("by thread", y.read());
  RUN(rows_by_lanes<32><<<125, 128>>>(n, db, dc, dv, dx, y));
  corpus::show("by warp", y.read());
  RUN(rows_by_lanes<4><<<16, 128>>>(n, db, dc, dv, dx, y));
  corpus::show("by four", y.read());
  CHECK(cudaMemset(y, 0, n * 4));
  RUN(by_entries<<<8, 96>>>(static_cast<int>(column.size()), dr, dc, dv, dx, y));
  corpus::show("by entries", y.read());
  RUN(gradients<<<1, 128>>>(x, order));
  rounded("gradients", x.read(), 1e7);
  printf("converged %d\n", order(0));
  return 0;
}
