// SPDX-License-Identifier: Apache-2.0
// A compiler that makes nearly nothing: a kernel's code returns the number of its block class plus
// ten times a number that stands in the PTX as "// returns 7"; "// with k" says that it holds the
// code of kernel k as well. It notes each compilation in the file that FAKE_JIT_LOG names, and
// refuses kernels called "refused".
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/ptx/jit.hpp"

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
  // Another kernel, whose code returns one more.
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
