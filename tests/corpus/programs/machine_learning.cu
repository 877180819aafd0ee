// SPDX-License-Identifier: Apache-2.0
// Building blocks of neural networks: softmax, layer normalisation, attention with fragments,
// convolution, products of bytes, k-means, top-k, embedding bags, dropout by counters. Results are
// rounded, or chosen to be exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../corpus.hpp"
using namespace nvcuda;

__device__ float warp_max(float v) {
  for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  return v;
}
__device__ float warp_sum(float v) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}
template <typename T>
__global__ void softmax(const T* in, T* out, int columns) {
  const T* const row = in + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < columns; c += 32) {
    const float v = static_cast<float>(row[c]), next = fmaxf(most, v);
    sum = sum * __expf(most - next) + __expf(v - next);
    most = next;
  }
  const float all = warp_max(most);
  sum = warp_sum(most == -INFINITY ? 0 : sum * __expf(most - all));
  for (int c = threadIdx.x; c < columns; c += 32)
    out[blockIdx.x * columns + c] = static_cast<T>(__expf(static_cast<float>(row[c]) - all) / sum);
}
__global__ void layer_norm(const float4* in, const float4* weight, float4* out, int quarter) {
  __shared__ float sums[2][32];
  float s = 0, q = 0;
  const float4* const row = in + blockIdx.x * quarter;
  for (int c = threadIdx.x; c < quarter; c += blockDim.x) {
    const float4 v = row[c];
    s += v.x + v.y + v.z + v.w, q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  s = warp_sum(s), q = warp_sum(q);
  if (threadIdx.x % 32 == 0) sums[0][threadIdx.x / 32] = s, sums[1][threadIdx.x / 32] = q;
  __syncthreads();
  s = q = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) s += sums[0][w], q += sums[1][w];
  const float mean = s / (4 * quarter), scale = rsqrtf(q / (4 * quarter) - mean * mean + 1e-5f);
  for (int c = threadIdx.x; c < quarter; c += blockDim.x) {
    const float4 v = row[c], w = __ldg(&weight[c]);
    out[blockIdx.x * quarter + c] =
        make_float4((v.x - mean) * scale * w.x, (v.y - mean) * scale * w.y,
                    (v.z - mean) * scale * w.z, (v.w - mean) * scale * w.w);
  }
}

// 16 queries of 16 numbers and any number of keys and values; keeps a running maximum of each row.
__global__ void attention(const half* q, const half* k, const half* v, float* out, int keys) {
  __shared__ half p[16 * 16];
  __shared__ float s[16 * 16], o[16 * 16], most[16], sum[16];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) o[i] = 0;
  if (lane < 16) most[lane] = -1e30f, sum[lane] = 0;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fq, fp;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fk;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fv;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::load_matrix_sync(fq, q, 16);
  __syncwarp();
  for (int at = 0; at < keys; at += 16) {
    wmma::fill_fragment(acc, 0.0f);
    wmma::load_matrix_sync(fk, k + at * 16, 16);
    wmma::mma_sync(acc, fq, fk, acc);
    wmma::store_matrix_sync(s, acc, 16, wmma::mem_row_major);
    __syncwarp();
    if (lane < 16) {
      float m = most[lane];
      for (int c = 0; c < 16; ++c) m = fmaxf(m, s[lane * 16 + c] * 0.25f);
      const float scale = expf(most[lane] - m);
      float add = 0;
      for (int c = 0; c < 16; ++c) {
        const half e = __float2half(expf(s[lane * 16 + c] * 0.25f - m));
        p[lane * 16 + c] = e, add += __half2float(e);
      }
      for (int c = 0; c < 16; ++c) o[lane * 16 + c] *= scale;
      sum[lane] = sum[lane] * scale + add, most[lane] = m;
    }
    __syncwarp();
    wmma::load_matrix_sync(fp, p, 16);
    wmma::load_matrix_sync(fv, v + at * 16, 16);
    wmma::load_matrix_sync(acc, o, 16, wmma::mem_row_major);
    wmma::mma_sync(acc, fp, fv, acc);
    wmma::store_matrix_sync(o, acc, 16, wmma::mem_row_major);
    __syncwarp();
  }
  for (int i = lane; i < 256; i += 32) out[i] = o[i] / sum[i / 16];
}

template <int K>
__global__ void convolution(const float* image, const float* filter, float* out, int size) {
  __shared__ float tile[16 + K - 1][16 + K - 1];
  __shared__ float f[K][K];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int r = threadIdx.y; r < 16 + K - 1; r += 16)
    for (int c = threadIdx.x; c < 16 + K - 1; c += 16) {
      const int gx = blockIdx.x * 16 + c - K / 2, gy = blockIdx.y * 16 + r - K / 2;
      tile[r][c] = gx >= 0 && gy >= 0 && gx < size && gy < size ? image[gy * size + gx] : 0;
    }
  if (threadIdx.x < K && threadIdx.y < K)
    f[threadIdx.y][threadIdx.x] = filter[threadIdx.y * K + threadIdx.x];
  __syncthreads();
  float s = 0;
#pragma unroll
  for (int r = 0; r < K; ++r)
#pragma unroll
    for (int c = 0; c < K; ++c) s += tile[threadIdx.y + r][threadIdx.x + c] * f[r][c];
  if (x < size && y < size) out[y * size + x] = fmaxf(s, 0.1f * s);
}

__global__ void bytes_product(const int* a, const int* b, int* c, float* scaled, int n, int k4) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  int s = 0;
  unsigned u = 0;
  for (int k = 0; k < k4; ++k)
    s = __dp4a(a[row * k4 + k], b[column * k4 + k], s),
    u = __dp4a(static_cast<unsigned>(a[row * k4 + k]), 0x01010101u, u);
  s = __dp2a_lo(a[row * k4], b[column * k4], s);
  c[row * n + column] = s + static_cast<int>(u);
  scaled[row * n + column] = rintf(fminf(fmaxf(s * 0.05f, -128), 127));
}

__global__ void nearest(const float2* points, int n, const float2* centres, int k, int* label,
                        float2* sums, int* counts) {
  extern __shared__ float2 mine[];
  for (int c = threadIdx.x; c < k; c += blockDim.x) mine[c] = centres[c];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float best = INFINITY;
    int which = 0;
    for (int c = 0; c < k; ++c) {
      const float dx = points[i].x - mine[c].x, dy = points[i].y - mine[c].y, d = dx * dx + dy * dy;
      if (d < best) best = d, which = c;
    }
    label[i] = which;
    atomicAdd(&sums[which].x, points[i].x), atomicAdd(&sums[which].y, points[i].y),
        atomicAdd(&counts[which], 1);
  }
}
__global__ void centre(float2* centres, float2* sums, int* counts) {
  const int c = threadIdx.x;
  if (counts[c])
    centres[c] = {rintf(sums[c].x / counts[c] * 1024) / 1024,
                  rintf(sums[c].y / counts[c] * 1024) / 1024};
  sums[c] = {0, 0}, counts[c] = 0;
}

// The eight largest of a row; each lane keeps a list of its own.
__global__ void top(const float* in, int* out, int columns) {
  float best[8];
  int where[8];
  for (int i = 0; i < 8; ++i) best[i] = -INFINITY, where[i] = -1;
  for (int c = threadIdx.x; c < columns; c += 32) {
    float v = in[blockIdx.x * columns + c] + c * 1e-4f;
    int at = c;
    for (int i = 0; i < 8; ++i)
      if (v > best[i]) {
        const float t = best[i];
        const int w = where[i];
        best[i] = v, where[i] = at, v = t, at = w;
      }
  }
  for (int i = 0; i < 8; ++i) {
    const float most = warp_max(best[0]);
    const unsigned who = __ballot_sync(~0u, best[0] == most);
    if (threadIdx.x == __ffs(who) - 1) {
      out[blockIdx.x * 8 + i] = where[0];
      for (int j = 0; j < 7; ++j) best[j] = best[j + 1], where[j] = where[j + 1];
      best[7] = -INFINITY;
    }
    __syncwarp();
  }
}

int main() {
  const auto rounded = [](const char* name, auto values, double digits) {
    std::vector<float> r;
    for (auto v : values)
      r.push_back(static_cast<float>(std::rint(static_cast<float>(v) * digits) / digits) + 0.0f);
    corpus::show(name, r);
  };
  const auto host = corpus::floats(4096);
  Buffer<float> in(host), out(4096), weight(corpus::floats(256, 3));
  std::vector<half> halves(4096);
  std::vector<__nv_bfloat16> brains(4096);
  for (int i = 0; i < 4096; ++i)
    halves[i] = __float2half(host[i]), brains[i] = __float2bfloat16(host[i]);
  Buffer<half> hin(halves), hout(4096);
  Buffer<__nv_bfloat16> bin(brains), bout(4096);
  RUN(softmax<<<16, 32>>>(in.get(), out.get(), 250));
  rounded("softmax", out.read(), 1e3);
  RUN(softmax<<<16, 32>>>(hin.get(), hout.get(), 20));
  rounded("half", hout.read(), 64);
  RUN(softmax<<<16, 32>>>(bin.get(), bout.get(), 7));
  rounded("bf16", bout.read(), 8);
  RUN(layer_norm<<<16, 64>>>(reinterpret_cast<float4*>(in.get()),
                             reinterpret_cast<float4*>(weight.get()),
                             reinterpret_cast<float4*>(out.get()), 64));
  rounded("norm", out.read(), 100);
  RUN(attention<<<1, 32>>>(hin, hin.get() + 256, hin.get() + 2048, out, 96));
  rounded("attention", out.read(), 32);
  Buffer<float> image(corpus::floats(50 * 50)), filtered(50 * 50);
  RUN(convolution<3><<<dim3(4, 4), dim3(16, 16)>>>(image, weight, filtered, 50));
  rounded("3 by 3", filtered.read(), 1e3);
  RUN(convolution<7><<<dim3(4, 4), dim3(16, 16)>>>(image, weight, filtered, 50));
  rounded("7 by 7", filtered.read(), 1e3);
  std::vector<int> packed(64 * 20);
  for (int i = 0; i < 64 * 20; ++i) packed[i] = static_cast<int>(corpus::scramble(i));
  Buffer<int> bytes(packed), products(64 * 64), label(2000), counts(8), best(16 * 8);
  RUN(bytes_product<<<dim3(2, 8), dim3(32, 8)>>>(bytes, bytes, products, out, 64, 20));
  corpus::show("bytes", products.read()), corpus::show("scaled", out.read());
  std::vector<float2> points(2000);
  for (int i = 0; i < 2000; ++i)
    points[i] = {(corpus::scramble(i) % 512) / 64.0f, (corpus::scramble(i + 5000) % 512) / 64.0f};
  Buffer<float2> dp(points), centres(std::vector<float2>(points.begin(), points.begin() + 8)),
      sums(8);
  for (int step = 0; step < 5; ++step) {
    RUN(nearest<<<6, 96, 64>>>(dp, 2000, centres, 8, label, sums, counts));
    RUN(centre<<<1, 8>>>(centres, sums, counts));
  }
  corpus::show("labels", label.read());
  RUN(top<<<16, 32>>>(in, best, 256));
  corpus::show("top", best.read());
  return 0;
}
