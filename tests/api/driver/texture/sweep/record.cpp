// SPDX-License-Identifier: Apache-2.0
// Records a GPU's answers to the cases. Needs only its driver:
//
//   cd tests/api/driver/texture/sweep
//   g++ -std=c++20 -I../../../../.. -I../../../../../api/include
//       record.cpp cases.cpp operands.cpp run.cpp -lcuda -o record_textures
//   ./record_textures recorded.txt [raw answers]
//
// A line for each case: its name, the status, and the result of summary_of(). Raw: a line with the
// name, a line with the status and the number of words, then the words.
#include <cstdio>
#include <cstdlib>

#include "tests/api/driver/texture/sweep/cases.hpp"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  std::FILE* const out = std::fopen(arguments[1], "w");
  std::FILE* const raw = count > 2 ? std::fopen(arguments[2], "wb") : nullptr;
  CUcontext context;
  if (!out || cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS)
    return 3;
  for (const textures::Case& one : textures::all_cases()) {
    const textures::Answer answer = textures::answer_of(one);
    std::fprintf(out, "%s|%d|", one.name.c_str(), answer.status);
    for (const std::string& word : textures::summary_of(one, answer))
      std::fprintf(out, "%s ", word.c_str());
    std::fputc('\n', out);
    if (!raw) continue;
    const auto words = static_cast<unsigned>(answer.words.size());
    std::fprintf(raw, "%s\n%d %u\n", one.name.c_str(), answer.status, words);
    std::fwrite(answer.words.data(), 4, words, raw);
  }
  std::fclose(out);
  if (raw) std::fclose(raw);
}
