// SPDX-License-Identifier: Apache-2.0
#include "api/driver/cuda.hpp"

namespace {

struct Text {
  CUresult code;
  const char* name;
  const char* string;
};

constexpr Text texts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
#define CUVETTE_ERROR(name, number, constant, string) {constant, #constant, string},
#include "sim/base/error.def"
#undef CUVETTE_ERROR
};

#define CUVETTE_ERROR(name, number, constant, string) static_assert(constant == number);
#include "sim/base/error.def"
#undef CUVETTE_ERROR

// "If the error code is not recognized, pStr will be set to the NULL address and
// CUDA_ERROR_INVALID_VALUE will be returned."
[[gnu::always_inline]] inline CUresult find_text(CUresult error, const char** text,
                                                 const char* Text::*field) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = nullptr;
  for (const Text& known : texts) {
    if (known.code != error) continue;
    *text = known.*field;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** pStr) {
  return find_text(error, pStr, &Text::name);
}

CUresult cuGetErrorString(CUresult error, const char** pStr) {
  return find_text(error, pStr, &Text::string);
}

}  // extern "C"
