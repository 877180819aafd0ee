// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/kernel_code.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/config.hpp"
#include "sim/os/library.hpp"
#include "sim/os/output.hpp"
#include "sim/os/thread_limit.hpp"
#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/program/code_cache.hpp"
#include "sim/ptx/program/compile_notice.hpp"
#include "sim/ptx/syntax/diagnostic.hpp"

namespace cuvette::ptx {
namespace {

constexpr const char* compiler_library = "libcuvette-jit.so";
constexpr size_t compiler_stack = size_t{1} << 20;

Vectors best_vectors() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Vectors::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
  return Vectors::sse;
}

Vectors chosen_vectors() {
  const Vectors best = best_vectors();
  const std::optional<Vectors> wanted = config().vectors;
  if (!wanted || *wanted <= best) return wanted.value_or(best);
  os::say(
      "this processor does not have the vector units that CUVETTE_VECTORS names: it is ignored.");
  return best;
}

CompileFunction* compiler() {
  static CompileFunction* const function = [] {
    std::string reason;
    void* const address = os::load_beside(compiler_library, CUVETTE_JIT_COMPILE, reason);
    if (!address) os::say("kernels cannot be compiled: %s", reason.c_str());
    return reinterpret_cast<CompileFunction*>(address);
  }();
  return function;
}

// Everything that machine code depends on.
CodeCache::Key key_of(const CompileRequest& request) {
  // Never destroyed: kernels may be launched while the process exits.
  static const std::string& build =
      *new std::string(os::own_build() + os::build_beside(compiler_library));
  CodeCache::Key key;
  key.add(build).add(uint64_t{abi_version}).add(request.text).add(request.entry);
  key.add(request.block.number()).add(static_cast<uint64_t>(request.vectors));
  key.add(uint64_t{request.check_bounds}).add(uint64_t{request.watch});
  key.add(uint64_t{request.follow}).add(uint64_t{request.tracks}).add(uint64_t{request.counts});
  key.add(static_cast<uint64_t>(request.approx));
  return key;
}

Result<CompiledKernel> compile(const CompileRequest& request) {
  CompileFunction* const function = compiler();
  if (!function) return Error::jit_compiler_not_found;
  CompiledKernel kernel;
  auto notice = CompileNotice::on_terminal(request.text, request.entry);
  const bool ran = os::run_on_stack(compiler_stack, [&] { function(request, kernel); });
  notice.reset();
  if (!ran)
    return refuse(Error::out_of_memory,
                  "Kernel '%s' cannot be compiled: the calling thread has too little stack left, "
                  "and the system provides no other thread.",
                  std::string(request.entry).c_str());
  if (kernel.error.empty()) return kernel;
  Diagnostic diagnostic{Error::invalid_ptx, kernel.error_line, kernel.error_token, kernel.error};
  diagnostic.quote_from(request.text);
  os::say("kernel '%s' cannot be compiled: %s\n%s", std::string(request.entry).c_str(),
          diagnostic.sentence().c_str(), diagnostic.quote.c_str());
  return Error::invalid_ptx;
}

}  // namespace

Vectors vectors() {
  static const Vectors chosen = chosen_vectors();
  return chosen;
}

Result<std::unique_ptr<MachineCode>> make_machine_code(const CompileRequest& request) {
  CodeCache& cache = CodeCache::get();
  const CodeCache::Key key = key_of(request);
  auto kernel = cache.find(key);
  if (!kernel) {
    kernel = TRY(compile(request));
    cache.keep(key, *kernel);
  }
  const auto lies_outside = [&](const CompiledKernel::Kernel& other) {
    return other.offset >= kernel->code.size();
  };
  if (kernel->entry_offset >= kernel->code.size() ||
      std::ranges::any_of(kernel->others, lies_outside)) {
    os::say("kernel '%s' has been compiled to nothing.", std::string(request.entry).c_str());
    return Error::invalid_ptx;
  }
  auto memory = os::ExecutableMemory::create(kernel->code);
  if (!memory.ok()) {
    os::say("there is no executable memory for kernel '%s'.", std::string(request.entry).c_str());
    return memory.error();
  }
  auto code = std::make_unique<MachineCode>();
  code->memory = std::make_shared<const os::ExecutableMemory>(std::move(memory).value());
  code->entry = reinterpret_cast<KernelEntry*>(code->memory->begin() + kernel->entry_offset);
  kernel->code.clear();
  kernel->code.shrink_to_fit();
  code->facts = std::move(*kernel);
  return code;
}

}  // namespace cuvette::ptx
