// SPDX-License-Identifier: Apache-2.0
// Shared by the corpus' programs: running a kernel and naming the one that failed, device memory,
// and numbers that are the same everywhere.
#pragma once

#include <cuda_runtime.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace corpus {

// What is running now, for the message of a program that does not finish.
inline const char* volatile doing = "before the first kernel";

inline void end_by_signal(int signal) {
  const char* const parts[] = {signal == SIGALRM ? "TIMEOUT in " : "CRASH in ", doing, "\n"};
  for (const char* part : parts)
    if (write(STDERR_FILENO, part, strlen(part)) < 0) break;
  _exit(3);
}

// CORPUS_SECONDS limits the time that a program may take.
inline const bool watched = [] {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM})
    std::signal(signal, end_by_signal);
  const char* const seconds = getenv("CORPUS_SECONDS");
  alarm(seconds ? static_cast<unsigned>(atoi(seconds)) : 120);
  return true;
}();

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fflush(stdout);
  fprintf(stderr, "%s: %s in %s\n", cudaGetErrorName(error), cudaGetErrorString(error), doing);
  _exit(2);
}

// Device memory that begins with zeros or with the host's values.
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t count) : count_(count) {
    check(cudaMalloc(&data_, count * sizeof(T)));
    check(cudaMemset(data_, 0, count * sizeof(T)));
    check(cudaStreamSynchronize(nullptr));  // non-blocking streams do not wait for it
  }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) { write(host); }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  operator T*() const { return data_; }
  T* get() const { return data_; }
  void write(const std::vector<T>& host) {
    check(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> read() const {
    std::vector<T> host(count_);
    check(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  T operator()(size_t index) const {
    T value;
    check(cudaMemcpy(&value, data_ + index, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// A pseudorandom number made of `x`.
__host__ __device__ inline uint32_t scramble(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

inline std::vector<int> numbers(size_t count, uint32_t below, uint32_t seed = 0) {
  std::vector<int> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = static_cast<int>(scramble(static_cast<uint32_t>(i) + seed * 7919) % below);
  return result;
}

// Numbers between -1 and 1 with few digits, so that short sums of them are exact.
inline std::vector<float> floats(size_t count, uint32_t seed = 0) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] =
        static_cast<float>(
            static_cast<int>(scramble(static_cast<uint32_t>(i) + seed * 7919) % 257) - 128) /
        128;
  return result;
}

// A hash of all bytes.
template <typename T>
unsigned long long digest(const std::vector<T>& values) {
  unsigned long long hash = 1469598103934665603ull;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(T); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

template <typename T>
void show(const char* name, const std::vector<T>& values, size_t first = 8) {
  printf("%s:", name);
  for (size_t i = 0; i < values.size() && i < first; ++i)
    printf(" %.9g", static_cast<double>(values[i]));
  printf(" | %zu %016llx\n", values.size(), digest(values));
}

}  // namespace corpus

using corpus::Buffer;

// Runs the statement, waits for the device, and ends the program with the statement's text if that
// fails.
#define RUN(...)                            \
  do {                                      \
    corpus::doing = #__VA_ARGS__;           \
    __VA_ARGS__;                            \
    corpus::check(cudaGetLastError());      \
    corpus::check(cudaDeviceSynchronize()); \
  } while (0)

#define CHECK(...)                \
  do {                            \
    corpus::doing = #__VA_ARGS__; \
    corpus::check((__VA_ARGS__)); \
  } while (0)
