// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handle_registry.hpp"
#include "api/driver/module/jit_options.hpp"
#include "sim/os/file.hpp"
#include "sim/ptx/image/image.hpp"
#include "sim/ptx/program/image_program.hpp"
#include "sim/ptx/program/link.hpp"

namespace cuvette::driver {

// A link, and where the program wants its logs to be written.
class LinkState final : public Counted {
 public:
  LinkState(const JitOptions& options, uint32_t target)
      : options(options), link(target, options.most_registers()) {}

  const JitOptions options;
  ptx::Link link;
  Mutex mutex;
  std::string log GUARDED_BY(mutex);  // messages of all calls
};

}  // namespace cuvette::driver

using namespace cuvette;
using namespace cuvette::driver;

namespace {

// Writes a call's messages to the program's log.
void tell(LinkState& state, const std::string& log) {
  MutexLock lock(state.mutex);
  state.log += log;
  state.options.report(state.log);
}

// Checks that an image is of the type that the program names; the errors are the H200's.
Result<> check_type(CUjitInputType type, const void* data, size_t size) {
  const image::Kind kind = image::kind_of(data, size);
  switch (type) {
    case CU_JIT_INPUT_CUBIN:
      // To the program, the result of cuLinkComplete is a cubin.
      if (kind == image::Kind::elf || kind == image::Kind::fat_binary) return {};
      return refuse(Error::invalid_image, "The data is not a cubin.");
    case CU_JIT_INPUT_PTX:
      if (kind == image::Kind::ptx) return {};
      return refuse(Error::invalid_ptx, "The data is not PTX: it does not begin with .version.");
    case CU_JIT_INPUT_FATBINARY:
      if (kind == image::Kind::nothing)
        return refuse(Error::invalid_image, "The data is not an image.");
      return {};
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
      if (kind == image::Kind::elf || kind == image::Kind::archive) return {};
      return refuse(Error::unknown, "The data is neither an object nor a library of objects.");
    case CU_JIT_INPUT_NVVM:
      return refuse(Error::jit_compiler_not_found, "There is no compiler for NVVM here.");
    default:
      return refuse(Error::invalid_value, "%d is not a CUjitInputType.", type);
  }
}

Result<> add(LinkState& state, CUjitInputType type, const void* data, size_t size,
             const std::string& name, const JitOptions& options) {
  TRY(check_type(type, data, size));
  std::string log;
  const Result<> added = state.link.add(data, size, name, log, options.most_registers());
  tell(state, log);
  if (!added.ok()) ptx::report_unloadable(added.error(), log);
  return added;
}

[[gnu::always_inline]] inline CUresult create(unsigned count, CUjit_option* options, void** values,
                                              CUlinkState* state) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!state) return Error::invalid_value;
    const JitOptions read = TRY(JitOptions::read(count, options, values));
    const uint32_t device = context.device().profile().compute_capability();
    *state = TRY(give_handle(*make_ref<LinkState>(read, read.target(device))));
    return {};
  });
}

[[gnu::always_inline]] inline CUresult add_data(CUlinkState state, CUjitInputType type, void* data,
                                                size_t size, const char* name, unsigned count,
                                                CUjit_option* options, void** values) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<LinkState> object = TRY(find(state));
    if (!data || size == 0) return refuse(Error::invalid_value, "There is no data to add.");
    const JitOptions read = TRY(JitOptions::read(count, options, values));
    return add(*object, type, data, size, name ? name : "input", read);
  });
}

[[gnu::always_inline]] inline CUresult add_file(CUlinkState state, CUjitInputType type,
                                                const char* path, unsigned count,
                                                CUjit_option* options, void** values) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<LinkState> object = TRY(find(state));
    if (!path || !*path) return Error::invalid_value;
    const JitOptions read = TRY(JitOptions::read(count, options, values));
    const std::string contents = TRY(os::read_file(path, most_file_bytes));
    return add(*object, type, contents.data(), contents.size(), path, read);
  });
}

}  // namespace

extern "C" {

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues,
                         CUlinkState* stateOut) {
  return create(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                          const char* name, unsigned int numOptions, CUjit_option* options,
                          void** optionValues) {
  return add_data(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return add_file(state, type, path, numOptions, options, optionValues);
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<LinkState> object = TRY(find(state));
    if (!cubinOut) return Error::invalid_value;
    std::string log;
    const auto image = object->link.complete(log);
    tell(*object, log);
    std::string* const bytes = TRY(image);
    *cubinOut = bytes->data();
    if (sizeOut) *sizeOut = bytes->size();
    return {};
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return call<CUresult>([&]() -> Result<> {
    TRY(find(state));
    if (!forget_handle<LinkState>(state)) return Error::invalid_handle;  // another thread was here
    return {};
  });
}

// The versions from CUDA 5.5, which have the same parameters.

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option* options, void** optionValues,
                      CUlinkState* stateOut) {
  return create(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size,
                       const char* name, unsigned int numOptions, CUjit_option* options,
                       void** optionValues) {
  return add_data(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path,
                       unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return add_file(state, type, path, numOptions, options, optionValues);
}

}  // extern "C"
