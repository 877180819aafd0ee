// SPDX-License-Identifier: Apache-2.0
// A compiler that does next to nothing. A kernel's code returns a number for its block class, plus
// 100 times the digit of "// returns 7" in the PTX; "// with k" adds the code of kernel k. It logs
// each compilation in the file that FAKE_JIT_LOG names, and refuses kernels called "refused".
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/ptx/abi/jit.hpp"

using namespace cuvette::ptx;

extern "C" [[gnu::visibility("default")]] void cuvette_jit_compile(const CompileRequest& request,
                                                                   CompiledKernel& result) {
  if (FILE* const log = std::fopen(std::getenv("FAKE_JIT_LOG"), "a")) {
    std::fprintf(log, "%s\n", std::string(request.entry).c_str());
    std::fclose(log);
  }
  if (request.entry == "refused") {
    result.error = "this one is refused";
    result.error_line = 12;
    result.error_token = "refused";
    return;
  }
  uint32_t value = static_cast<uint32_t>(request.block.shape()) * 4 +
                   request.block.one_dimensional() * 2u + request.block.full_warps();
  if (const size_t at = request.text.find("// returns "); at != std::string_view::npos)
    value += 100 * static_cast<uint32_t>(request.text[at + 11] - '0');
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  result.code = {0xcc, 0xb8, bytes[0], bytes[1], bytes[2], bytes[3], 0xc3};  // mov eax, value; ret
  result.entry_offset = 1;
  result.frame_bytes = 64;
  result.local_bytes = 8;
  result.shared_bytes = 16;
  result.uses_barriers = true;
  for (const char* name : {"number", "pointer", "helper"})
    if (request.text.find(name) != std::string_view::npos) result.symbols.emplace_back(name);
  // Another kernel, whose code returns a number greater by one.
  if (const size_t at = request.text.find("// with "); at != std::string_view::npos) {
    const std::string_view name = request.text.substr(at + 8);
    result.others = {
        {std::string(name.substr(0, name.find('\n'))), static_cast<uint32_t>(result.code.size())}};
    ++value;
    for (const uint8_t byte :
         {uint8_t{0xb8}, bytes[0], bytes[1], bytes[2], bytes[3], uint8_t{0xc3}})
      result.code.push_back(byte);
  }
}
