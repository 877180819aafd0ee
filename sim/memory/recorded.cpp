// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/recorded.hpp"

#include <map>
#include <string>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/memory/identity.hpp"
#include "sim/memory/physical_memory.hpp"

namespace cuvette::memory {

namespace format = record_format;

namespace {

format::MemoryKind kind_of(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::device:
      return format::MemoryKind::device;
    case AllocationKind::array:
      return format::MemoryKind::array;
    case AllocationKind::external:
      return format::MemoryKind::external;
    case AllocationKind::external_array:
      return format::MemoryKind::external_array;
    case AllocationKind::mapping:
      return format::MemoryKind::mapping;
    case AllocationKind::shared:
      return format::MemoryKind::shared;
    case AllocationKind::graphics:
      return format::MemoryKind::graphics;
    case AllocationKind::pool:
      return format::MemoryKind::pool;
    case AllocationKind::imported:
      return format::MemoryKind::imported;
    case AllocationKind::reserve:
      return format::MemoryKind::reserve;
    case AllocationKind::variable:
      return format::MemoryKind::variable;
    case AllocationKind::pinned:
      return format::MemoryKind::pinned;
    case AllocationKind::registered:
      return format::MemoryKind::registered;
    case AllocationKind::managed:
      return format::MemoryKind::managed;
  }
  return format::MemoryKind::device;
}

// The segments that are there now: those of windows and of imports. One that comes again is another
// one in the record.
class Segments {
 public:
  static Segments& get() {
    static auto* const all = new Segments;
    return *all;
  }

  // A file's device and inode; 0 and the address of a lender for what a graphics API has.
  using Key = std::pair<uint64_t, uint64_t>;

  static Key key_of(const Allocation& allocation) {
    if (allocation.lender) return {0, reinterpret_cast<uint64_t>(allocation.lender.get())};
    return key_of(allocation.segment->identity());
  }
  static Key key_of(const os::Segment::Identity& identity) {
    return {identity.device + 1, identity.inode};
  }

  struct Used {
    uint32_t number;
    uint64_t begin;  // where its memory begins in the file
  };

  // Counts one more user. A file of physical memory has more than the memory that its users see.
  Used use(record::Recorder& recorder, const Key& key, const char* origin,
           const os::Segment& segment) EXCLUDES(mutex_) {
    const auto part = PhysicalMemory::part_of(segment);
    const uint32_t number =
        use(recorder, key, origin, std::string(), part ? part->size : segment.size());
    return {number, part ? part->offset : 0};
  }

  // The same for memory of a graphics API. Returns the segment's number.
  uint32_t use(record::Recorder& recorder, const Key& key, const char* origin, std::string name,
               uint64_t size) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Known& known = known_[key];
    if (known.users++ == 0) {
      known.number = ++last_;
      if (name.empty()) name = "segment " + std::to_string(known.number);
      const bool is_file = key.first != 0;
      known.record = recorder.add(format::Segment{.number = known.number,
                                                  .name = recorder.text(name),
                                                  .origin = recorder.text(origin),
                                                  .system = is_file ? key.first : 0,
                                                  .file = is_file ? key.second : 0,
                                                  .size = size,
                                                  .began = os::ticks()});
    }
    return known.number;
  }

  void leave(const Key& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto known = known_.find(key);
    if (known == known_.end() || --known->second.users > 0) return;
    record::Recorder::end(known->second.record);
    known_.erase(known);
  }

 private:
  struct Known {
    uint32_t number = 0;
    uint32_t users = 0;
    format::Segment* record = nullptr;
  };
  Mutex mutex_;
  std::map<Key, Known> known_ GUARDED_BY(mutex_);
  uint32_t last_ GUARDED_BY(mutex_) = 0;
};

// Whether its bytes can be seen by other addresses, too.
bool is_window(const Allocation& allocation) {
  if (allocation.lender) return true;
  return allocation.segment &&
         (Identity::is_of_segment(allocation) || allocation.kind == AllocationKind::imported);
}

const char* origin_of(const Allocation& allocation) {
  if (allocation.lender) return "graphics";
  return allocation.kind == AllocationKind::mapping ? "device" : "imported";
}

// What the cost of the call depends on that allocates, maps or frees it.
void note(const Allocation& allocation) {
  using record_format::CallClass;
  if (allocation.kind == AllocationKind::reserve) return;  // a pool's own
  record::note_bytes(allocation.size);
  if (allocation.is_external() || allocation.kind == AllocationKind::shared ||
      allocation.kind == AllocationKind::imported)
    record::note(CallClass::imported);
  else if (allocation.kind == AllocationKind::graphics)
    record::note(CallClass::opengl);
  else if (allocation.managed())
    record::note(CallClass::managed);
  else if (allocation.host_accessible())
    record::note(CallClass::pinned);
  else
    record::note(CallClass::device);
}

}  // namespace

namespace detail {

void record_begin(const Allocation& allocation) {
  record::Recorder* const recorder = record::recorder();
  if (!recorder || allocation.recorded.load(std::memory_order_acquire)) return;
  format::Memory begun{.what = kind_of(allocation.kind),
                       .site = recorder->place(allocation.call_site),
                       .key = allocation.buffer_id,
                       .address = allocation.address,
                       .size = allocation.size};
  if (!allocation.on_host && allocation.kind != AllocationKind::pinned &&
      allocation.kind != AllocationKind::registered)
    begun.device = allocation.device;
  if (!allocation.name.empty()) begun.name = recorder->symbol(allocation.name);
  if (allocation.lender) begun.name = recorder->text(allocation.lender->describe());
  if (is_window(allocation)) {
    const Segments::Key key = Segments::key_of(allocation);
    if (allocation.lender) {
      begun.segment = Segments::get().use(*recorder, key, origin_of(allocation),
                                          allocation.lender->describe(), allocation.size);
    } else {
      const auto used =
          Segments::get().use(*recorder, key, origin_of(allocation), *allocation.segment);
      begun.segment = used.number;
      begun.offset = allocation.offset - used.begin;
    }
  }
  note(allocation);
  begun.began = os::ticks();
  allocation.recorded.store(recorder->add(begun), std::memory_order_release);
}

void record_freed(const Allocation& allocation) { note(allocation); }

void record_gone(const Allocation& allocation) {
  auto* const record = static_cast<format::Memory*>(
      allocation.recorded.exchange(nullptr, std::memory_order_acq_rel));
  if (!record) return;
  record::Recorder::end(record);
  if (record->segment != 0) Segments::get().leave(Segments::key_of(allocation));
}

}  // namespace detail

RecordedSegment::RecordedSegment(const os::Segment& segment) : identity_(segment.identity()) {
  record::Recorder* const recorder = record::recorder();
  if (!recorder) return;
  is_recorded_ = true;
  Segments::get().use(*recorder, Segments::key_of(identity_), "imported", segment);
}

RecordedSegment::~RecordedSegment() {
  if (is_recorded_) Segments::get().leave(Segments::key_of(identity_));
}

}  // namespace cuvette::memory
