// SPDX-License-Identifier: Apache-2.0
#include "sim/os/held_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>
#include <utility>

#include "sim/os/bytes.hpp"
#include "sim/os/device_gate.hpp"
#include "sim/os/page.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::os {

namespace detail {
constinit std::atomic<bool> pages_were_held{false};
}

namespace {

// The releases that had taken place when this thread last tried again. initial-exec, as in
// fault.cpp.
[[gnu::tls_model("initial-exec")]] constinit thread_local uint32_t releases_seen = 0;

int rights(uint32_t readers, uint32_t writers) {
  return writers != 0 ? PROT_NONE : readers != 0 ? PROT_READ : PROT_READ | PROT_WRITE;
}

struct FreeNode {
  FreeNode* next;
};
template <typename Node>
constinit FreeNode* free_nodes = nullptr;
constexpr size_t chunk_bytes = 64 << 10;

// Opens the process's memory, for bytes regardless of their pages' rights; -1 if that is not
// allowed here.
int open_memory() {
  const int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  const Result<int> high = duplicate_fd(fd);
  if (!high.ok()) return fd;
  close(fd);
  return high.value();
}

}  // namespace

template <typename Node>
Node* NodeAllocator<Node>::allocate(size_t) {
  FreeNode*& free = free_nodes<Node>;
  if (!free) {
    const auto chunk = syscall(SYS_mmap, nullptr, chunk_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == -1) throw std::bad_alloc();
    constexpr size_t room = std::max(sizeof(Node), sizeof(FreeNode));
    for (size_t at = 0; at + room <= chunk_bytes; at += room)
      free = new (reinterpret_cast<char*>(chunk) + at) FreeNode{free};
  }
  return reinterpret_cast<Node*>(std::exchange(free, free->next));
}

template <typename Node>
void NodeAllocator<Node>::deallocate(Node* node, size_t) {
  free_nodes<Node> = new (node) FreeNode{free_nodes<Node>};
}

HeldPages& HeldPages::get() {
  static HeldPages* const pages = new HeldPages;
  return *pages;
}

void HeldPages::change(uint64_t begin, uint64_t end, HeldFor what, bool add) {
  Pages::Part part = pages_.isolate(begin, end);
  if (add) part = pages_.fill(part, [] { return Held(); });
  for (auto range = part.begin(); range != part.end();) {
    Held& held = range->second.value;
    const int before = rights(held.readers, held.writers);
    uint32_t& count = what == HeldFor::reading ? held.readers : held.writers;
    if (add)
      ++count;
    else if (count != 0)
      --count;
    const int now = rights(held.readers, held.writers);
    if (now != before) protect_pages(range->first, range->second.end(), now);
    range = held.readers == 0 && held.writers == 0 ? pages_.erase(range) : std::next(range);
  }
}

void HeldPages::hold(uint64_t begin, uint64_t end, HeldFor what) {
  detail::pages_were_held.store(true, std::memory_order_relaxed);
  MutexLock lock(mutex_);
  if (memory_fd_ < 0) memory_fd_ = open_memory();
  change(begin, end, what, true);
}

void HeldPages::release(uint64_t begin, uint64_t end, HeldFor what) {
  MutexLock lock(mutex_);
  releases_.fetch_add(1);
  change(begin, end, what, false);
}

void HeldPages::forget(uint64_t begin, uint64_t end) {
  const uint64_t mask = uint64_t{page_size()} - 1;
  begin = (begin + mask) & ~mask;
  end &= ~mask;
  if (begin >= end) return;
  MutexLock lock(mutex_);
  releases_.fetch_add(1);
  const Pages::Part part = pages_.isolate(begin, end);
  for (const auto& [at, held] : part) protect_pages(at, held.end(), PROT_READ | PROT_WRITE);
  pages_.erase(part);
}

std::vector<HeldTouch> HeldPages::take_touches() {
  if (!news_.load(std::memory_order_relaxed)) return {};
  std::vector<HeldTouch> all;
  all.reserve(most_touches);
  MutexLock lock(mutex_);
  news_.store(false, std::memory_order_relaxed);
  const size_t size = page_size();
  for (size_t i = 0; i < opened_count_; ++i) {
    const auto range = pages_.find(opened_[i]);
    if (range == pages_.end()) continue;
    const Held& held = range->second.value;
    protect_pages(opened_[i], opened_[i] + size, rights(held.readers, held.writers));
  }
  opened_count_ = 0;
  all.assign(touches_, touches_ + touch_count_);
  touch_count_ = 0;
  return all;
}

bool HeldPages::let_through(const HeldTouch& touch, bool in_command) {
  MutexLock lock(mutex_);
  if (pages_.find(touch.address) == pages_.end()) {
    // The rights may have come back since. So the thread tries again, once for each time.
    const uint32_t now = releases_.load();
    return std::exchange(releases_seen, now) != now;
  }
  const uint64_t page = touch.address & ~(uint64_t{page_size()} - 1);
  protect_pages(page, page + page_size(), PROT_READ | PROT_WRITE);
  if (opened_count_ < most_opened) opened_[opened_count_++] = page;
  if (!in_command && touch_count_ < most_touches) touches_[touch_count_++] = touch;
  news_.store(true, std::memory_order_relaxed);
  return true;
}

bool HeldPages::touches(uint64_t begin, uint64_t end) {
  MutexLock lock(mutex_);
  return !pages_.touching(begin, end).empty();
}

int HeldPages::own_memory() {
  MutexLock lock(mutex_);
  if (memory_fd_ < 0) memory_fd_ = open_memory();
  return memory_fd_;
}

bool HeldPages::read(void* to, uint64_t from, size_t size) {
  const int fd = own_memory();
  if (fd < 0) return false;
  for (size_t read = 0; read < size;) {
    const ssize_t done =
        pread(fd, static_cast<char*>(to) + read, size - read, static_cast<off_t>(from + read));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    read += static_cast<size_t>(done);
  }
  return true;
}

void HeldPages::copy(char* to, const char* from, size_t size) {
  const auto held = [&](const void* at) {
    const auto begin = reinterpret_cast<uint64_t>(at);
    return touches(begin, begin + size);
  };
  const bool apart = to + size <= from || from + size <= to;
  const bool write = apart && held(to), read = apart && held(from);
  // A system call opens no gate.
  if (DeviceGate* const gate = read || write ? device_gate() : nullptr) {
    gate->open_all(reinterpret_cast<uint64_t>(to), size);
    gate->open_all(reinterpret_cast<uint64_t>(from), size);
  }
  int fd;
  {
    MutexLock lock(mutex_);
    fd = memory_fd_;
  }
  alignas(64) char between[16 << 10];
  while (size != 0 && fd >= 0 && (read || write)) {
    const auto at = [](const char* place) {
      return static_cast<off_t>(reinterpret_cast<uint64_t>(place));
    };
    ssize_t done;
    if (read && write) {
      done = pread(fd, between, std::min(size, sizeof between), at(from));
      if (done > 0) done = pwrite(fd, between, static_cast<size_t>(done), at(to));
    } else {
      done = write ? pwrite(fd, from, size, at(to)) : pread(fd, to, size, at(from));
    }
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    to += done;
    from += done;
    size -= static_cast<size_t>(done);
  }
  // The rest touches no held page, or the handler opens it.
  copy_bytes(to, from, size);
}

}  // namespace cuvette::os
