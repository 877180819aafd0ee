// SPDX-License-Identifier: Apache-2.0
// Recorder: writes what this process does into its file of CUVETTE_RECORD, as
// sim/base/record_format.hpp describes it. All rooms above use it.
//
// A thread takes a block of the mapped file and fills it without a lock; a record costs a few
// nanoseconds, and is in the file at once, so that nothing is lost if the process is killed.
//
// Threads: any. What add() returns may be changed until the process ends; if several threads do,
// something else has to order them. It is never destroyed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/record_format.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/growing_file.hpp"

namespace cuvette::record {

namespace format = record_format;
class Recorder;
struct Writer;

namespace detail {
extern constinit std::atomic<Recorder*> current;
}  // namespace detail

// Returns the recorder of this process; null if nothing is recorded (yet).
inline Recorder* recorder() { return detail::current.load(std::memory_order_acquire); }

// Starts to record, if CUVETTE_RECORD asks for it. Returns recorder().
Recorder* start();

class Recorder {
 public:
  // Makes a file in the folder; null, and this is said on stderr, if there can be none.
  static Recorder* create(const std::string& folder, size_t limit);

  // Adds a record and returns its place; null if there is no room.
  template <typename Record>
  Record* add(Record record) {
    static_assert(sizeof(Record) == format::record_bytes && std::is_trivially_copyable_v<Record>);
    const format::Kind kind = record.kind;
    record.kind = format::Kind::none;
    void* const place = take(1);
    if (!place) return nullptr;
    auto* const added = new (place) Record(record);
    commit(added->kind, kind);
    return added;
  }

  // A record as others name it: its place in the file; 0: none. at() returns null for none.
  uint32_t number_of(const void* record) const {
    return record ? static_cast<uint32_t>(
                        static_cast<size_t>(static_cast<const char*>(record) - bytes_) /
                        format::record_bytes)
                  : 0;
  }
  template <typename Record>
  Record* at(uint32_t number) const {
    return number == 0 ? nullptr
                       : reinterpret_cast<Record*>(bytes_ + size_t{number} * format::record_bytes);
  }

  // Returns the number of a text, which is written when it is first asked for.
  uint32_t text(std::string_view text);
  // Returns the number of a text that names a place of the program (sim/callsite), of a function of
  // ours that an address lies in, and of a symbol as its source spells it.
  uint32_t place(const void* call_site);
  uint32_t function(const void* address);
  uint32_t symbol(std::string_view name);

  // --- Calls of the API ---
  // The calling thread enters a call; returns null if that is not recorded.
  format::Call* begin_call(uint32_t function, uint32_t site);
  void end_call(format::Call* call, int result);
  // Returns the outermost call that the calling thread is in, as records name it; 0 if it is in
  // none.
  uint32_t outer_call();
  // Returns the innermost; null if it is in none.
  format::Call* inner_call();

  // Returns the time, and has the calling thread remember it. To read the counter takes as long as
  // to write a record.
  uint64_t now();
  // Returns the last time that the calling thread read since the call that it is in began, which it
  // must be in.
  uint64_t last_time();

  // What the commands that the calling thread submits are about: the number of a text.
  void set_subject(uint32_t text);
  uint32_t subject();

  // Notes the end of something that was added; `added` may be null.
  template <typename Record>
  static void end(Record* added) {
    if (added) std::atomic_ref(added->ended).store(os::ticks(), std::memory_order_release);
  }

  // Notes what the clocks say now.
  void add_clock();
  // The process ends.
  void process_ends();

 private:
  explicit Recorder(std::unique_ptr<os::GrowingFile> file);
  void begin();

  static void commit(format::Kind& kind, format::Kind value) {
    std::atomic_ref(kind).store(value, std::memory_order_release);
  }

  format::Header& header() const { return *reinterpret_cast<format::Header*>(bytes_); }
  // Returns room for `records` in a row; null, and they count as dropped, if there is none.
  void* take(size_t records);
  Writer& writer();
  Writer& make_writer() EXCLUDES(mutex_);
  char* take_block() EXCLUDES(growing_);
  void retire(Writer& writer) EXCLUDES(mutex_);
  void begin_block(Writer& writer);
  uint32_t write_text(std::string_view text) REQUIRES(mutex_);
  uint32_t text_locked(std::string_view text) REQUIRES(mutex_);

  const std::unique_ptr<os::GrowingFile> file_;
  char* const bytes_;               // the file's
  std::atomic<uint64_t> used_;      // of the file, by blocks
  std::atomic<uint64_t> capacity_;  // bytes that the file has
  std::atomic<bool> full_{false};
  Mutex growing_;
  std::atomic<uint32_t> threads_{0};
  Mutex mutex_;
  std::vector<Writer*> idle_ GUARDED_BY(mutex_);  // those of threads that have ended
  std::unordered_map<std::string, uint32_t> texts_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, uint32_t> symbols_ GUARDED_BY(mutex_);
  std::unordered_map<const void*, uint32_t> addresses_ GUARDED_BY(mutex_);
  uint32_t last_text_ GUARDED_BY(mutex_) = 0;
};

// Adds to what is known about the innermost call that the calling thread is in.
void note_bytes(uint64_t bytes);
void note_count(uint64_t count);
void note(format::CallClass property);

}  // namespace cuvette::record
