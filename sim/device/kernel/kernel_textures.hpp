// SPDX-License-Identifier: Apache-2.0
// KernelTextures: the textures and surfaces that a running kernel uses. A handle is looked up at
// its first use, because kernels also find handles in memory; the result stays valid until the
// kernel has ended, since the end of an array waits for that.
//
// Invalid handles do what was measured on hardware, with a report: a destroyed object is used as it
// was; an array that is gone, as what lies there now; a null handle, or a reference that is bound
// to nothing, reads zeros and writes nothing. Under CUVETTE_CONTRACT=strict they are faults, as
// all other numbers always are.
//
// Threads: any that run blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/kernel/texture_reference.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/device/texture/sampler.hpp"
#include "sim/exec/grid.hpp"
#include "sim/ptx/abi/texture_operation.hpp"

namespace cuvette::device {

class Context;
class KernelCall;
class Stream;

// Finds live texture and surface objects; the room above implements it. Null for other handles.
struct TextureFinder {
  Ref<Texture> (*texture)(uint64_t handle);
  Ref<Surface> (*surface)(uint64_t handle);
};
void set_texture_finder(const TextureFinder& finder);

class KernelTextures {
 public:
  // For `call`, which is command `number` of `stream`; both outlive this object.
  KernelTextures(const Context& context, const KernelCall& call, const Stream& stream,
                 uint64_t number, const void* call_site);
  ~KernelTextures();
  KernelTextures(const KernelTextures&) = delete;
  KernelTextures& operator=(const KernelTextures&) = delete;

  // Implement the helpers `texture` and `surface` and return their status.
  uint32_t read(exec::Block& block, uint32_t operation, const uint64_t* handles,
                const uint32_t* operands, uint32_t* results, uint32_t mask, uint32_t warp,
                uint64_t location);
  uint32_t access(exec::Block& block, uint32_t operation, const uint64_t* handles,
                  const uint32_t* operands, uint32_t* texels, uint32_t mask, uint32_t warp,
                  uint64_t location);

 private:
  struct Used;

  // Finds what a handle names. Null, with a sentence about it, if it cannot be used.
  const Used* find(exec::Block& block, uint64_t handle, bool surface, std::string& why)
      EXCLUDES(mutex_);
  std::unique_ptr<Used> make(exec::Block& block, uint64_t handle, bool surface, std::string& why);
  // Finds the object. False, with the sentence, if the handle is a fault.
  bool identify(Used& used, std::string& why) const;
  // Whether the kernel may read, or change, all of the bytes of a level.
  static bool reaches(exec::Block& block, const Texels::Level& level, bool write);
  // Whether the memory it reads may be used. False, with the sentence, if that is a fault.
  bool check_memory(exec::Block& block, const Used& used, const Texels& texels,
                    std::string& why) const;
  // Reports what hardware lets pass and returns true; false, with the sentence, if it is a fault.
  bool tolerate(const Used& used, misuse::TextureHandle::State state, std::string& why) const;
  // Calls work(used, handle, lanes) for each handle and the lanes that have it, until one is
  // stopped.
  template <typename Work>
  uint32_t each_handle(exec::Block& block, bool surface, bool uniform, const uint64_t* handles,
                       uint32_t mask, uint32_t warp, uint64_t location, const Work& work);
  static uint32_t stop(exec::Block& block, exec::GridFault::Kind kind, uint32_t warp, uint32_t lane,
                       uint64_t location, uint64_t address, uint32_t access, std::string text);

  const Context& context_;
  const KernelCall& call_;
  const Stream& stream_;
  const uint64_t number_;
  const void* const call_site_;
  // The first ones; those below the count do not change any more.
  static constexpr unsigned few = 16;
  std::array<const Used*, few> few_{};
  std::atomic<unsigned> count_{0};
  Mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<const Used>> all_[2] GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
