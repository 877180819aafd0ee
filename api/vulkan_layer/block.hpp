// SPDX-License-Identifier: Apache-2.0
// Block: the memory of a semaphore that goes from process to process as a file descriptor. Its
// layout is documented in api/include/cuvetteSemaphore.h; libcuda uses the same words.
//
// Threads: any, of any process. Another process may write anything at any time: every value of
// every word is good for something, and the file cannot shrink.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sim/base/error.hpp"
#include "sim/interop/external/semaphore_layout.hpp"
#include "sim/os/shared_block.hpp"

namespace cuvette::vulkan_layer {

enum class Kind : uint8_t { binary, timeline };

class Block {
 public:
  // Makes a semaphore. `initial` is a timeline's first value. Errors: out_of_memory,
  // operating_system.
  static Result<std::unique_ptr<Block>> create(Kind kind, uint64_t initial);
  // Maps a semaphore of this kind that was created elsewhere. The caller keeps `fd`. Errors:
  // unknown, invalid_value (what the descriptor is goes to stderr), out_of_memory.
  static Result<std::unique_ptr<Block>> share(int fd, Kind kind);

  // Returns a new descriptor of it. Errors: operating_system.
  Result<int> fd() const;

  os::Segment::Identity identity() const { return memory_->segment().identity(); }

  uint64_t value() const { return words_.value.load(); }
  // Raises a timeline to `value`, if it is lower, or signals a binary semaphore, and wakes the
  // waiters.
  void signal(uint64_t value);
  // Takes a binary semaphore's signal away. False if it has none.
  bool take();

  // While a Watch lives, signals wake sleepers.
  class Watch {
   public:
    explicit Watch(Block& block) : block_(block) {
      block.words_.waiters.fetch_add(1);
      changes_ = block.words_.changes.load();
    }
    ~Watch() { block_.words_.waiters.fetch_sub(1); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Whether there was a signal since the Watch was made.
    bool changed() const { return block_.words_.changes.load() != changes_; }
    // Sleeps until there was one, and sometimes less long; `nanoseconds` at most.
    void sleep(int64_t nanoseconds);

   private:
    Block& block_;
    uint32_t changes_;
  };
  // Wakes all sleepers, though nothing has changed.
  void wake();
  // Whether it was signalled here since this was asked last.
  bool take_written() { return written_.exchange(false); }

 private:
  Block(Kind kind, std::unique_ptr<os::SharedBlock> memory)
      : kind_(kind),
        memory_(std::move(memory)),
        words_(*static_cast<interop::OwnSemaphore*>(memory_->data())) {}

  const Kind kind_;
  const std::unique_ptr<os::SharedBlock> memory_;
  interop::OwnSemaphore& words_;
  std::atomic<bool> written_{false};
};

}  // namespace cuvette::vulkan_layer
