// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/host_code.hpp"

#include <link.h>

#include "sim/os/library.hpp"
#include "sim/os/thread_limit.hpp"

namespace cuvette::callsite {
namespace {

constexpr const char* reader = "libcuvette-jit.so";
// LLVM needs more than the stack of a signal handler.
constexpr size_t reader_stack = size_t{1} << 20;

// The loaded file that an address of code lies in.
struct Loaded {
  uint64_t address = 0;
  std::string file;
  uint64_t bias = 0;            // what addresses in the file differ by
  uint64_t begin = 0, end = 0;  // the segment of code
};

int look(dl_phdr_info* info, size_t, void* argument) {
  Loaded& loaded = *static_cast<Loaded*>(argument);
  for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || !(segment.p_flags & PF_R) ||
        loaded.address < begin || loaded.address - begin >= segment.p_memsz)
      continue;
    // The program itself has no name here; argv[0] need not be its path.
    loaded.file = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    loaded.bias = info->dlpi_addr;
    loaded.begin = begin;
    loaded.end = begin + segment.p_filesz;
    return 1;
  }
  return 0;
}

bool find(const void* address, Loaded& loaded) {
  loaded.address = reinterpret_cast<uint64_t>(address);
  return dl_iterate_phdr(look, &loaded) != 0;
}

template <typename Function>
Function* function_of_reader(const char* symbol) {
  std::string reason;
  return reinterpret_cast<Function*>(os::load_beside(reader, symbol, reason));
}

}  // namespace

std::vector<SourceFrame> source_frames(const void* address) {
  static auto* const function = function_of_reader<SourceFramesFunction>(CUVETTE_JIT_SOURCE_FRAMES);
  std::vector<SourceFrame> frames;
  Loaded loaded;
  if (!function || !find(address, loaded)) return frames;
  const FileAddress at{loaded.file.c_str(), loaded.address - loaded.bias};
  static_cast<void>(os::run_on_stack(reader_stack, [&] { function(at, frames); }));
  return frames;
}

bool throws_result_away(const void* return_address) {
  static auto* const function =
      function_of_reader<ThrowsAwayFunction>(CUVETTE_JIT_THROWS_RESULT_AWAY);
  Loaded loaded;
  if (!function || !find(return_address, loaded)) return false;
  const CallResult result{
      {reinterpret_cast<const uint8_t*>(loaded.begin), loaded.end - loaded.begin},
      loaded.address - loaded.begin,
      {loaded.file.c_str(), loaded.address - loaded.bias}};
  bool thrown = false;
  static_cast<void>(os::run_on_stack(reader_stack, [&] { thrown = function(result); }));
  return thrown;
}

}  // namespace cuvette::callsite
