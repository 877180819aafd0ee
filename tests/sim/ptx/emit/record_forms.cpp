// SPDX-License-Identifier: Apache-2.0
// Records a GPU's results for the forms in forms.def. Needs only its driver:
//
//   g++ -std=c++20 -I. tests/sim/ptx/emit/record_forms.cpp tests/sim/ptx/emit/forms.cpp -ldl -o
//   record_forms
//   ./record_forms part parts tests/sim/ptx/emit/recorded/forms.txt [raw results]
//
// (0 1 for all of them. The driver is slow, so several processes can share the work.) A line for
// each form that the driver accepts: its name, and a hash for each group of results, or the results
// themselves if the form need not agree bit by bit.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/sim/ptx/emit/forms.hpp"

using namespace cuvette::ptx::test;

namespace {

void* library;
template <typename F>
F* entry(const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

void must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, status);
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  const size_t part = std::strtoul(arguments[1], nullptr, 10);
  const size_t parts = std::strtoul(arguments[2], nullptr, 10);
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return 3;
  using Address = unsigned long long;
  auto* const init = entry<int(unsigned)>("cuInit");
  auto* const retain = entry<int(void**, int)>("cuDevicePrimaryCtxRetain");
  auto* const set = entry<int(void*)>("cuCtxSetCurrent");
  auto* const allocate = entry<int(Address*, size_t)>("cuMemAlloc_v2");
  auto* const up = entry<int(Address, const void*, size_t)>("cuMemcpyHtoD_v2");
  auto* const down = entry<int(void*, Address, size_t)>("cuMemcpyDtoH_v2");
  auto* const clear = entry<int(Address, unsigned char, size_t)>("cuMemsetD8_v2");
  auto* const load = entry<int(void**, const void*)>("cuModuleLoadData");
  auto* const unload = entry<int(void*)>("cuModuleUnload");
  auto* const find = entry<int(void**, void*, const char*)>("cuModuleGetFunction");
  auto* const launch = entry<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, void*, void**, void**)>("cuLaunchKernel");
  must(init(0), "cuInit");
  void* context;
  must(retain(&context, 0), "cuDevicePrimaryCtxRetain");
  must(set(context), "cuCtxSetCurrent");
  Address memory[5];
  for (Address& one : memory) must(allocate(&one, 65536 * 8), "cuMemAlloc");

  std::ofstream out(arguments[3]);
  std::ofstream raw;
  if (count > 4) raw.open(arguments[4], std::ios::binary);
  size_t recorded = 0, number = 0;
  for (const Form& form : all_forms()) {
    if (number++ % parts != part) continue;
    void* module;
    if (load(&module, module_of_form(form, "kernel", false).c_str()) != 0) {
      std::cout << "refused " << form.text << "\n";
      continue;
    }
    void* function;
    must(find(&function, module, "kernel"), "cuModuleGetFunction");
    const auto inputs = inputs_of(form);
    const size_t cases = inputs[0].size();
    Address base = 0;
    void* parameters[6] = {&memory[4], &base};
    for (size_t n = 0; n < inputs.size(); ++n) {
      must(up(memory[n], inputs[n].data(), 8 * cases), "cuMemcpyHtoD");
      parameters[2 + n] = &memory[n];
    }
    must(clear(memory[4], 0, 8 * cases), "cuMemsetD8");
    must(launch(function, static_cast<unsigned>(cases / 32), 1, 1, 32, 1, 1, 0, nullptr, parameters,
                nullptr),
         "cuLaunchKernel");
    std::vector<uint64_t> results(cases);
    must(down(results.data(), memory[4], 8 * cases), "cuMemcpyDtoH");
    unload(module);
    const std::vector<uint64_t> exact = results;
    for (uint64_t& result : results) result = without_payload(form, result);
    out << form.text << '|' << std::hex;
    const size_t group = form.exact ? group_of(cases) : 1;
    if (form.exact)
      for (size_t n = 0; n < cases; n += group) out << hash_of(&results[n], group) << ' ';
    else
      for (size_t n = 0; n < cases; n += stride_of(cases)) out << results[n] << ' ';
    out << '\n' << std::dec;
    if (raw.is_open()) {
      raw << form.text << '|' << cases << '|' << result_bytes(form) << '\n';
      for (const uint64_t result : exact)
        raw.write(reinterpret_cast<const char*>(&result), result_bytes(form));
    }
    ++recorded;
  }
  std::cout << recorded << " forms recorded\n";
}
