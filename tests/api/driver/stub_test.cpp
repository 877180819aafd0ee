// SPDX-License-Identifier: Apache-2.0
// The results of functions without a body. No test of this program may initialise the library
// outside a child process.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "api/driver/support_table.hpp"
#include "tests/api/driver/library.hpp"

extern "C" {
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments) \
  CUresult name##suffix##flavour parameters;
#include "api/driver/per_thread.def"
}

namespace {

using cuvette::driver::Function;
using cuvette::driver::functions;
using cuvette::driver::StubNeeds;
using cuvette::driver::Support;

bool is_stub(const Function& function) {
  return function.support == Support::none && !function.object;
}

template <typename... Parameters>
int call_with_zeros(CUresult (*function)(Parameters...)) {
  return function(Parameters{}...);
}

// The per-thread twins, which unlike stubs have parameters.
const std::map<std::string_view, int (*)()> twins = {
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments) \
  {#name #suffix #flavour, [] { return call_with_zeros(name##suffix##flavour); }},
#include "api/driver/per_thread.def"
};

int call(const Function& function) {
  if (function.per_thread) return twins.at(function.name)();
  return reinterpret_cast<int (*)()>(library_symbol(function.name))();
}

TEST(Stub, NeedsInitialisationWhereItsNeighboursDo) {
  for (const Function& function : functions) {
    if (!is_stub(function) || function.needs == StubNeeds::nothing) continue;
    EXPECT_EQ(call(function), CUDA_ERROR_NOT_INITIALIZED) << function.name;
  }
}

TEST(Stub, SaysOnceByNameWhatIsMissing) {
  for (const Function& function : functions) {
    if (!is_stub(function) || function.needs != StubNeeds::nothing) continue;
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(function), CUDA_ERROR_NOT_SUPPORTED) << function.name;
    EXPECT_EQ(call(function), CUDA_ERROR_NOT_SUPPORTED) << function.name;
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        std::string("cuvette: ") + function.name + " is not supported: " + function.reason + "\n");
  }
}

// Exits with 0 if each stub returns what it must after cuInit without a context.
[[noreturn]] void answer_without_context() {
  bool good = cuInit(0) == CUDA_SUCCESS;
  for (const Function& function : functions) {
    if (!is_stub(function)) continue;
    const int expected = function.needs == StubNeeds::context ? CUDA_ERROR_INVALID_CONTEXT
                                                              : CUDA_ERROR_NOT_SUPPORTED;
    const int answer = call(function);
    if (answer == expected) continue;
    good = false;
    std::cerr << "WRONG: " << function.name << " answers " << answer << '\n';
  }
  _exit(good ? 0 : 1);
}

TEST(Stub, NeedsAContextWhereItsNeighboursDo) {
  EXPECT_EXIT(answer_without_context(), testing::ExitedWithCode(0), "");
}

TEST(Stub, NamesTheTwinThatWasCalled) {
  for (const Function& function : functions) {
    if (!is_stub(function) || !function.per_thread || function.needs == StubNeeds::context)
      continue;
    const auto call_it = [&] { _exit(cuInit(0) == CUDA_SUCCESS ? call(function) & 0xff : 0); };
    EXPECT_EXIT(call_it(), testing::ExitedWithCode(CUDA_ERROR_NOT_SUPPORTED & 0xff),
                std::string("cuvette: ") + function.name + " is not supported: ");
  }
}

}  // namespace
