// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/block.hpp"

#include <string>
#include <utility>

#include "sim/os/futex.hpp"
#include "sim/os/output.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::vulkan_layer {
namespace {

using interop::OwnSemaphore;

uint32_t number_of(Kind kind) {
  return kind == Kind::binary ? OwnSemaphore::binary : OwnSemaphore::timeline;
}

const char* in_words(uint32_t kind) { return kind == OwnSemaphore::binary ? "binary" : "timeline"; }

Error refuse_fd(int fd, const std::string& why) {
  os::say("file descriptor %d (%s) cannot be imported as a Vulkan semaphore: %s.", fd,
          os::name_of_fd(fd).c_str(), why.c_str());
  return Error::unknown;
}

}  // namespace

Result<std::unique_ptr<Block>> Block::create(Kind kind, uint64_t initial) {
  auto memory = TRY(os::SharedBlock::create("cuvette-semaphore", OwnSemaphore::size));
  auto& words = *static_cast<OwnSemaphore*>(memory->data());
  words.magic = OwnSemaphore::right_magic;
  words.version = OwnSemaphore::right_version;
  words.kind = number_of(kind);
  words.value = initial;
  return std::unique_ptr<Block>(new Block(kind, std::move(memory)));
}

Result<std::unique_ptr<Block>> Block::share(int fd, Kind kind) {
  auto segment = TRY(os::Segment::share(fd, 1));
  struct Head {
    uint64_t magic;
    uint32_t version, kind;
  } head;
  if (segment->size() != OwnSemaphore::size || !segment->read(0, &head, sizeof head) ||
      head.magic != OwnSemaphore::right_magic)
    return refuse_fd(fd, "it is not a semaphore of Cuvette's");
  if (head.version != OwnSemaphore::right_version)
    return refuse_fd(fd, "it is a semaphore of another version of Cuvette");
  if (head.kind != number_of(kind))
    return refuse_fd(fd, std::string("it is a ") + in_words(head.kind) +
                             " semaphore, but the semaphore to import into is a " +
                             in_words(number_of(kind)) + " semaphore");
  if (!segment->shrink_sealed())
    return refuse_fd(fd, "it is not sealed against shrinking, so its memory could disappear");
  return std::unique_ptr<Block>(new Block(kind, TRY(os::SharedBlock::map(std::move(segment)))));
}

Result<int> Block::fd() const { return os::duplicate_fd(memory_->fd()); }

void Block::signal(uint64_t value) {
  if (kind_ == Kind::binary) {
    words_.value.store(1);
  } else {
    uint64_t before = words_.value.load();
    while (before < value && !words_.value.compare_exchange_weak(before, value)) {
    }
  }
  wake();
  written_.store(true);
}

bool Block::take() {
  uint64_t signalled = 1;
  return words_.value.compare_exchange_strong(signalled, 0);
}

void Block::wake() {
  words_.changes.fetch_add(1);
  if (words_.waiters.load() != 0) os::wake_all(words_.changes);
}

void Block::Watch::sleep(int64_t nanoseconds) {
  os::sleep_while_shared(block_.words_.changes, changes_, nanoseconds);
}

}  // namespace cuvette::vulkan_layer
