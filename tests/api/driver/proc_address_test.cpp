// SPDX-License-Identifier: Apache-2.0
// cuGetProcAddress answers every name, version and default stream as driver 580.159.04 does.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "tests/api/driver/library.hpp"

namespace {

constexpr cuuint64_t legacy = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
constexpr cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
int not_a_function;
void* const untouched = &not_a_function;
constexpr auto no_status = static_cast<CUdriverProcAddressQueryResult>(3);

struct Answer {
  CUresult result;
  void* address;
  CUdriverProcAddressQueryResult status;
};

Answer ask(const char* name, int version, cuuint64_t flags) {
  Answer answer{CUDA_SUCCESS, untouched, no_status};
  answer.result = cuGetProcAddress_v2(name, &answer.address, version, flags, &answer.status);
  return answer;
}

void expect_symbol(const Answer& answer, const char* symbol) {
  EXPECT_EQ(answer.result, CUDA_SUCCESS);
  EXPECT_EQ(answer.status, CU_GET_PROC_ADDRESS_SUCCESS);
  EXPECT_NE(answer.address, nullptr) << symbol;
  EXPECT_EQ(answer.address, library_symbol(symbol)) << symbol;
}

void expect_none(const Answer& answer, CUdriverProcAddressQueryResult status) {
  EXPECT_EQ(answer.result, CUDA_SUCCESS);
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(answer.address, nullptr);
}

void expect_refusal(const Answer& answer) {
  EXPECT_EQ(answer.result, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer.status, no_status);
  EXPECT_EQ(answer.address, untouched);
}

// For each name and default stream: which symbol is returned from which version on, as measured.
using Measured = std::map<std::pair<std::string, std::string>, std::map<int, std::string>>;

Measured read_answers() {
  Measured measured;
  for (const std::string& line : read_lines("proc_address_answers.txt")) {
    std::istringstream words(line);
    std::string name, stream, symbol;
    int version;
    words >> name >> stream >> version >> symbol;
    measured[{name, stream}][version] = symbol;
  }
  return measured;
}

TEST(cuGetProcAddress_v2, AnswersEveryNameAndVersionAsMeasured) {
  const Measured measured = read_answers();
  ASSERT_EQ(measured.size(), 2 * 477u);
  std::set<int> versions;
  for (const auto& [key, answers] : measured) {
    for (const auto& [version, symbol] : answers) versions.insert({version, version + 1});
  }
  versions.erase(CUDA_VERSION + 1);
  for (const auto& [key, answers] : measured) {
    for (const int version : versions) {
      SCOPED_TRACE(key.first + " " + key.second + " " + std::to_string(version));
      const std::string& symbol = std::prev(answers.upper_bound(version))->second;
      const Answer answer =
          ask(key.first.c_str(), version, key.second == "legacy" ? legacy : per_thread);
      if (symbol == "-version") {
        expect_none(answer, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
      } else {
        expect_symbol(answer, symbol.c_str());
      }
      if (HasFailure()) return;
    }
  }
}

// Some exported names are unknown to cuGetProcAddress: those with a version suffix, the per-thread
// twins, and a few others.
TEST(cuGetProcAddress_v2, KnowsNoNameButThoseMeasured) {
  const Measured measured = read_answers();
  for (const std::string& name : read_lines("driver_exports.txt")) {
    if (measured.contains({name, "legacy"})) continue;
    SCOPED_TRACE(name);
    expect_none(ask(name.c_str(), CUDA_VERSION, 0), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none(ask(name.c_str(), CUDA_VERSION, per_thread), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  }
  for (const char* name : {"", "cuNope", "cuInitt", "cuIni", "CUINIT", "cuMemAlloc_v3"}) {
    SCOPED_TRACE(name);
    expect_none(ask(name, 0, 0), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    expect_none(ask(name, CUDA_VERSION, 0), CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  }
}

TEST(cuGetProcAddress_v2, TakesEveryPairOfStreamFlags) {
  expect_symbol(ask("cuMemcpy", CUDA_VERSION, 0), "cuMemcpy");
  expect_symbol(ask("cuMemcpy", CUDA_VERSION, legacy), "cuMemcpy");
  expect_symbol(ask("cuMemcpy", CUDA_VERSION, per_thread), "cuMemcpy_ptds");
  expect_symbol(ask("cuMemcpy", CUDA_VERSION, legacy | per_thread), "cuMemcpy_ptds");
  for (const cuuint64_t flags : {4, 8, 64, 66}) expect_refusal(ask("cuMemcpy", 13000, flags));
  expect_refusal(ask("cuMemcpy", CUDA_VERSION, cuuint64_t{1} << 32));
}

TEST(cuGetProcAddress_v2, RefusesAVersionNewerThanTheDriver) {
  expect_refusal(ask("cuInit", CUDA_VERSION + 1, 0));
  expect_refusal(ask("cuInit", 99999, 0));
  expect_refusal(ask("cuNope", 99999, 0));
}

TEST(cuGetProcAddress_v2, KnowsNothingOfBeforeCuda2) {
  for (const int version : {0, 1, 1999}) {
    expect_none(ask("cuInit", version, 0), CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  }
}

// As the real driver does.
TEST(cuGetProcAddress_v2, TakesANegativeVersionForTheNewest) {
  expect_symbol(ask("cuCtxGetDevice", -1, 0), "cuCtxGetDevice_v2");
  expect_symbol(ask("cuMemcpyHtoD", -1, per_thread), "cuMemcpyHtoD_v2_ptds");
}

TEST(cuGetProcAddress_v2, NeedsNoStatus) {
  void* address = untouched;
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &address, 12000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(address, library_symbol("cuInit"));
  EXPECT_EQ(cuGetProcAddress_v2("cuNope", &address, 12000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(address, nullptr);
}

// The real driver crashes here.
TEST(cuGetProcAddress_v2, RefusesNullPointers) {
  expect_refusal(ask(nullptr, CUDA_VERSION, 0));
  CUdriverProcAddressQueryResult status = no_status;
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", nullptr, CUDA_VERSION, 0, &status),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(status, no_status);
}

TEST(cuGetProcAddress, FindsSymbols) {
  void* address = untouched;
  EXPECT_EQ(cuGetProcAddress("cuMemcpyHtoD", &address, CUDA_VERSION, 0), CUDA_SUCCESS);
  EXPECT_EQ(address, library_symbol("cuMemcpyHtoD_v2"));
  EXPECT_EQ(cuGetProcAddress("cuMemcpyHtoD", &address, CUDA_VERSION, per_thread), CUDA_SUCCESS);
  EXPECT_EQ(address, library_symbol("cuMemcpyHtoD_v2_ptds"));
}

TEST(cuGetProcAddress, HasAnErrorForWhatIsNotFound) {
  void* address = untouched;
  EXPECT_EQ(cuGetProcAddress("cuNope", &address, CUDA_VERSION, 0), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuGetProcAddress("cuMemCreate", &address, 2000, 0), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuGetProcAddress("cuInit", &address, 99999, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress("cuInit", &address, CUDA_VERSION, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress(nullptr, &address, CUDA_VERSION, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(address, untouched);
}

}  // namespace
