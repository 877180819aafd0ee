// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/external_semaphore.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "sim/base/config.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/interop/external/semaphore_layout.hpp"
#include "sim/interop/external/vulkan_ownership.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/library.hpp"
#include "sim/os/output.hpp"
#include "sim/os/shared_block.hpp"
#include "sim/os/shared_condition.hpp"

namespace cuvette::interop {
namespace {

using device::ExternalSemaphore;
using device::SemaphoreKind;
using Progress = ExternalSemaphore::Progress;

Error refuse_fd(int fd, const std::string& why) {
  const std::string name = os::name_of_fd(fd);
  os::say("file descriptor %d (%s) cannot be imported as a semaphore: %s.", fd,
          name.empty() ? "not open" : name.c_str(), why.c_str());
  return Error::unknown;
}

const char* in_words(SemaphoreKind kind) {
  return kind == SemaphoreKind::binary ? "binary" : "timeline";
}
const char* type_of(SemaphoreKind kind) {
  return kind == SemaphoreKind::binary ? "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD"
                                       : "CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD";
}

// --- Which format --------------------------------------------------------------------------------

enum class Format { none, own_binary, own_timeline, own_of_another_version, swiftshader };

Format format_of(const os::Segment& segment, int fd) {
  if (segment.size() != OwnSemaphore::size) return Format::none;
  struct Head {
    uint64_t magic;
    uint32_t version, kind;
  } head;
  if (!segment.read(0, &head, sizeof head)) return Format::none;
  if (head.magic == OwnSemaphore::right_magic) {
    if (head.version != OwnSemaphore::right_version) return Format::own_of_another_version;
    if (head.kind == OwnSemaphore::binary) return Format::own_binary;
    return head.kind == OwnSemaphore::timeline ? Format::own_timeline
                                               : Format::own_of_another_version;
  }
  return os::name_of_fd(fd).starts_with(SwiftShaderSemaphore::name) ? Format::swiftshader
                                                                    : Format::none;
}

// --- Living semaphores ---------------------------------------------------------------------------

using Identity = std::pair<uint64_t, uint64_t>;

constinit Mutex living_mutex;
std::map<Identity, ExternalSemaphore*>& living_semaphores() REQUIRES(living_mutex) {
  static auto* const map = new std::map<Identity, ExternalSemaphore*>;
  return *map;
}

// A place among the living semaphores; the identity belongs to the file as long as it is open.
class Entry {
 public:
  explicit Entry(Identity identity) : identity_(std::move(identity)) {}
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  const Identity& identity() const { return identity_; }
  ~Entry() {
    MutexLock lock(living_mutex);
    living_semaphores().erase(identity_);
  }

 private:
  const Identity identity_;
};

// --- The Vulkan layer in this process ------------------------------------------------------------

constinit std::atomic<const SemaphorePartner*> partner{nullptr};

Ref<ExternalSemaphore> find_living(const Identity& identity) {
  MutexLock lock(living_mutex);
  const auto found = living_semaphores().find(identity);
  if (found == living_semaphores().end() || !found->second->retain_if_alive()) return nullptr;
  return Ref<ExternalSemaphore>::adopt(found->second);
}

// The functions that the layer calls.
constexpr SemaphorePartner own_part = {[](uint64_t device, uint64_t inode) {
                                         if (const auto semaphore = find_living({device, inode}))
                                           semaphore->written();
                                       },
                                       [](uint64_t device, uint64_t inode) {
                                         return find_living({device, inode}) != nullptr;
                                       }};

// A program may load the layer at any time, so this is called for each semaphore that the layer may
// have made.
void meet_layer() {
  if (partner.load(std::memory_order_relaxed)) return;
  if (void* const meet = os::find_loaded(partner_library, meet_partner_symbol))
    partner.store(reinterpret_cast<MeetSemaphorePartner>(meet)(&own_part),
                  std::memory_order_release);
}

// --- Cuvette's own -------------------------------------------------------------------------------

class Own final : public ExternalSemaphore {
 public:
  Own(SemaphoreKind kind, std::unique_ptr<os::SharedBlock> block, Identity identity)
      : ExternalSemaphore(kind),
        block_(std::move(block)),
        words_(*static_cast<OwnSemaphore*>(block_->data())),
        back_(follows_driver()),
        entry_(std::move(identity)) {}

  Progress signal(uint64_t value) override {
    if (kind() == SemaphoreKind::binary) {
      words_.value.store(1, std::memory_order_seq_cst);
    } else if (back_) {
      words_.value.store(value, std::memory_order_seq_cst);
    } else {
      // "The value must be greater than the current one": it never goes back.
      uint64_t before = words_.value.load(std::memory_order_relaxed);
      while (before < value && !words_.value.compare_exchange_weak(before, value)) {
      }
    }
    words_.changes.fetch_add(1, std::memory_order_seq_cst);
    if (words_.waiters.load(std::memory_order_seq_cst) != 0) os::wake_all(words_.changes);
    if (const SemaphorePartner* const layer = partner.load(std::memory_order_acquire))
      layer->written(entry_.identity().first, entry_.identity().second);
    return Progress::done;
  }

  Progress wait(uint64_t value) override {
    if (kind() == SemaphoreKind::timeline)
      return words_.value.load(std::memory_order_seq_cst) >= value ? Progress::done
                                                                   : Progress::pending;
    uint64_t signalled = 1;
    return words_.value.compare_exchange_strong(signalled, 0) ? Progress::done : Progress::pending;
  }

  bool writers_report() const override {
    const SemaphorePartner* const layer = partner.load(std::memory_order_acquire);
    return layer && layer->has(entry_.identity().first, entry_.identity().second);
  }

 private:
  ~Own() override = default;

  const std::unique_ptr<os::SharedBlock> block_;
  OwnSemaphore& words_;
  const bool back_;  // a timeline takes lower values, too, as on the driver
  const Entry entry_;
};

// --- SwiftShader's -------------------------------------------------------------------------------

class SwiftShader final : public ExternalSemaphore {
 public:
  // Others may hold the mutex for a moment; a process that holds it longer has died.
  static constexpr int64_t moment_ns = 100'000'000;

  SwiftShader(std::unique_ptr<os::SharedBlock> block, Identity identity)
      : ExternalSemaphore(SemaphoreKind::binary),
        block_(std::move(block)),
        words_(*static_cast<SwiftShaderSemaphore*>(block_->data())),
        condition_(words_.mutex, words_.condition),
        begin_(reinterpret_cast<uint64_t>(block_->data())),
        entry_(std::move(identity)) {
    os::watch_range(begin_, begin_ + SwiftShaderSemaphore::size);
  }

  // Counts this process as one that has the semaphore. False if the mutex is never released.
  bool take_part() {
    takes_part_ = guarded([&] {
                    if (!condition_.lock_within(moment_ns)) return Progress::pending;
                    ++words_.references;
                    condition_.unlock();
                    return Progress::done;
                  }) == Progress::done;
    return takes_part_;
  }

  Progress signal(uint64_t) override {
    return guarded([&] {
      if (!condition_.try_lock()) return Progress::pending;
      words_.signalled = 1;
      condition_.notify_all();
      condition_.unlock();
      return Progress::done;
    });
  }

  Progress wait(uint64_t) override {
    return guarded([&] {
      if (!condition_.try_lock()) return Progress::pending;
      const bool signalled = words_.signalled != 0;
      if (signalled) words_.signalled = 0;
      condition_.unlock();
      return signalled ? Progress::done : Progress::pending;
    });
  }

 private:
  ~SwiftShader() override {
    if (takes_part_)
      guarded([&] {
        if (condition_.lock_within(moment_ns)) {
          --words_.references;
          condition_.unlock();
        }
        return Progress::done;
      });
    os::unwatch_range(begin_, begin_ + SwiftShaderSemaphore::size);
  }

  // Runs `access` where the file may have shrunk, or may shrink at any moment.
  template <typename Access>
  Progress guarded(const Access& access) {
    if (!block_->segment().shrink_sealed() &&
        block_->segment().current_size() < SwiftShaderSemaphore::size)
      return Progress::lost;
    os::watch_faults(device::Machine::get().fault_hook());
    const os::FaultScope scope;
    const Progress progress = access();
    return scope.faulted() ? Progress::lost : progress;
  }

  const std::unique_ptr<os::SharedBlock> block_;
  SwiftShaderSemaphore& words_;
  os::SharedCondition condition_;
  const uint64_t begin_;
  bool takes_part_ = false;
  const Entry entry_;
};

Result<Ref<ExternalSemaphore>> make(Format format, Ref<os::Segment> segment, Identity identity,
                                    int fd) {
  const bool sealed = segment->shrink_sealed();
  auto block = TRY(os::SharedBlock::map(std::move(segment)));
  if (format == Format::swiftshader) {
    auto semaphore = make_ref<SwiftShader>(std::move(block), std::move(identity));
    if (!semaphore->take_part())
      return refuse_fd(fd, "it looks like SwiftShader's, but its mutex cannot be locked");
    return Ref<ExternalSemaphore>(std::move(semaphore));
  }
  if (!sealed)
    return refuse_fd(fd, "it is not sealed against shrinking, so its memory could disappear");
  meet_layer();
  const SemaphoreKind kind =
      format == Format::own_binary ? SemaphoreKind::binary : SemaphoreKind::timeline;
  return Ref<ExternalSemaphore>(make_ref<Own>(kind, std::move(block), std::move(identity)));
}

// Returns the semaphore that this process has already, or makes a new one.
Result<Ref<ExternalSemaphore>> find_or_make(Format format, Ref<os::Segment> segment, int fd) {
  const Identity identity{segment->identity().device, segment->identity().inode};
  for (;;) {
    {
      MutexLock lock(living_mutex);
      const auto found = living_semaphores().find(identity);
      if (found == living_semaphores().end()) break;
      if (found->second->retain_if_alive()) return Ref<ExternalSemaphore>::adopt(found->second);
    }
    std::this_thread::yield();  // the old one is about to end
  }
  auto semaphore = TRY(make(format, std::move(segment), identity, fd));
  MutexLock lock(living_mutex);
  living_semaphores().emplace(identity, semaphore.get());
  return semaphore;
}

}  // namespace

Result<Ref<ExternalSemaphore>> import_semaphore(int fd, SemaphoreKind kind) {
  // Held, so that two imports of one file give one semaphore, whichever comes first.
  static constinit Mutex import_mutex;
  MutexLock lock(import_mutex);
  auto shared = os::Segment::share(fd, 1);
  if (!shared.ok()) return shared.error();
  const Format format = format_of(*shared.value(), fd);
  switch (format) {
    case Format::none:
      return refuse_fd(fd,
                       "it holds neither a Cuvette nor a SwiftShader semaphore. Import memory with "
                       "cuImportExternalMemory");
    case Format::own_of_another_version:
      return refuse_fd(fd, "it is a semaphore of another version of Cuvette");
    case Format::own_binary:
    case Format::own_timeline:
    case Format::swiftshader:
      break;
  }
  const SemaphoreKind found =
      format == Format::own_timeline ? SemaphoreKind::timeline : SemaphoreKind::binary;
  if (found != kind)
    return refuse_fd(fd, std::string("it is a ") + in_words(found) +
                             " semaphore, which is of type " + type_of(found));
  auto semaphore = TRY(find_or_make(format, std::move(shared).value(), fd));
  os::close_fd(fd);
  look_for_vulkan_layer();
  return semaphore;
}

const char* semaphore_in(const os::Segment& segment, int fd) {
  switch (format_of(segment, fd)) {
    case Format::none:
      return nullptr;
    case Format::swiftshader:
      return "it is a semaphore of SwiftShader's, which cuImportExternalSemaphore takes";
    default:
      return "it is a semaphore, which cuImportExternalSemaphore takes";
  }
}

}  // namespace cuvette::interop
