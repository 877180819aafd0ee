// SPDX-License-Identifier: Apache-2.0
// Replaces libFuzzer where the compiler has none: random inputs without guidance, with the same
// options -max_total_time=SECONDS and -seed=N, or files to replay.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  double seconds = 10;
  unsigned long seed = 1;
  bool replayed = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-max_total_time=", 16) == 0) {
      seconds = std::atof(argv[i] + 16);
    } else if (std::strncmp(argv[i], "-seed=", 6) == 0) {
      seed = std::strtoul(argv[i] + 6, nullptr, 10);
    } else {
      std::ifstream file(argv[i], std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      replayed = true;
    }
  }
  if (replayed) return 0;

  std::mt19937_64 random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  unsigned long runs = 0;
  for (; std::chrono::steady_clock::now() < end; ++runs) {
    std::vector<uint8_t> input(random() % 400);
    for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
    // Saved before the run, so that the input of a crash is on disk.
    std::ofstream("crash-input", std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::remove("crash-input");
  std::printf("%lu inputs without a crash\n", runs);
  return 0;
}
