// SPDX-License-Identifier: Apache-2.0
#include "sim/record/recorder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <utility>

#include "sim/base/config.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/os/file.hpp"
#include "sim/os/output.hpp"
#include "sim/os/populate.hpp"
#include "sim/os/process.hpp"
#include "sim/os/thread_exit.hpp"
#include "sim/os/threads.hpp"

namespace cuvette::record {

namespace detail {
constinit std::atomic<Recorder*> current{nullptr};
}  // namespace detail

using format::block_bytes;
using format::Kind;
using format::record_bytes;

// What a thread keeps: the block that it fills, the calls that it is in, and numbers of texts.
struct Writer {
  Recorder* owner = nullptr;
  char* next = nullptr;  // free room in its block
  char* end = nullptr;
  uint32_t thread = 0;
  uint32_t depth = 0;
  uint32_t subject = 0;
  uint64_t last_time = 0;
  std::array<format::Call*, 16> calls{};  // those that it is in, the outermost first
  // Numbers of texts that it used last. Addresses of functions and of their callers are different.
  struct Known {
    const void* key = nullptr;
    const std::string* symbol = nullptr;  // if the key is the place of one, which may be reused
    uint32_t number = 0;
  };
  std::array<Known, 256> known{};

  Known& slot(const void* key) {
    const auto bits = reinterpret_cast<uint64_t>(key) * 0x9e3779b97f4a7c15u;
    return known[bits >> 56];
  }
};

namespace {

[[gnu::tls_model("initial-exec")]] thread_local constinit Writer* own = nullptr;

// Bytes that a file has at first, and that it grows by at most.
constexpr size_t first_bytes = size_t{1} << 20, most_growth = size_t{16} << 20;

// In a forked child. The parent's file stays mapped, and is not written to.
void forget_parent() {
  detail::current.store(nullptr, std::memory_order_relaxed);
  own = nullptr;
}

}  // namespace

// --- The file ------------------------------------------------------------------------------------

Recorder* start() {
  if (Recorder* const running = recorder()) return running;
  static const std::string folder =
      config().record.empty() ? std::string() : std::filesystem::absolute(config().record).string();
  if (folder.empty()) return nullptr;
  static const bool watches_forks = [] {
    os::on_fork(nullptr, forget_parent);
    os::on_exit([] {
      if (Recorder* const running = recorder()) running->process_ends();
    });
    return true;
  }();
  std::ignore = watches_forks;
  Recorder* const made = Recorder::create(folder, config().record_limit);
  return made ? made : recorder();
}

Recorder* Recorder::create(const std::string& folder, size_t limit) {
  static constinit std::atomic<bool> said{false};
  const auto complain = [&](const char* why) {
    if (!said.exchange(true)) os::say("CUVETTE_RECORD names %s, %s.", folder.c_str(), why);
    return nullptr;
  };
  if (said.load()) return nullptr;
  if (!os::make_directories(folder)) return complain("which is no folder that can be written to");
  limit = std::max(limit, first_bytes) / block_bytes * block_bytes;
  // A process that becomes another program keeps its number, and so may one of another container.
  for (unsigned attempt = 0; attempt < 10000; ++attempt) {
    std::string path = folder + "/" + std::to_string(os::process_id());
    if (attempt > 0) path += "-" + std::to_string(attempt);
    path += ".record";
    auto file = os::GrowingFile::create(path, first_bytes, limit);
    if (!file.ok() && file.error() == Error::already_mapped) continue;
    if (!file.ok()) return complain("where no file with a megabyte can be made");
    auto* const made = new Recorder(std::move(file).value());
    Recorder* none = nullptr;
    if (detail::current.compare_exchange_strong(none, made, std::memory_order_acq_rel)) {
      made->begin();
      return made;
    }
    // Another thread was faster.
    made->file_->remove();
    delete made;
    return none;
  }
  return complain("which has too many files of this process");
}

Recorder::Recorder(std::unique_ptr<os::GrowingFile> file)
    : file_(std::move(file)), bytes_(file_->data()), used_(block_bytes), capacity_(first_bytes) {
  format::Header begin{};
  begin.version = format::version;
  begin.record_bytes = record_bytes;
  begin.block_bytes = block_bytes;
  begin.process = static_cast<uint32_t>(os::process_id());
  begin.used = block_bytes;
  header() = begin;
  // Last, so that a process that is killed leaves a whole header or none.
  uint64_t magic = 0;
  std::memcpy(&magic, format::magic, sizeof magic);
  auto& place = *reinterpret_cast<uint64_t*>(header().magic);
  std::atomic_ref(place).store(magic, std::memory_order_release);
}

void Recorder::begin() {
  const uint64_t began = os::ticks();
  const std::string words = os::command_line();
  add(format::Process{.program = text(os::program()), .command_line = text(words), .began = began});
}

void Recorder::process_ends() {
  add_clock();
  add(format::End{.time = os::ticks()});
}

char* Recorder::take_block() {
  for (;;) {
    if (full_.load(std::memory_order_relaxed)) return nullptr;
    uint64_t begin = used_.load(std::memory_order_relaxed);
    if (begin + block_bytes <= capacity_.load(std::memory_order_acquire)) {
      if (!used_.compare_exchange_weak(begin, begin + block_bytes, std::memory_order_relaxed))
        continue;
      std::atomic_ref(header().used).fetch_add(block_bytes, std::memory_order_relaxed);
      os::populate(bytes_ + begin, block_bytes);
      return bytes_ + begin;
    }
    MutexLock lock(growing_);
    const uint64_t size = capacity_.load(std::memory_order_relaxed);
    if (begin + block_bytes <= size) continue;
    const uint64_t wanted = std::min<uint64_t>(size + std::min<uint64_t>(size, most_growth),
                                               file_->most() / block_bytes * block_bytes);
    if (wanted > size && file_->grow(wanted)) {
      capacity_.store(wanted, std::memory_order_release);
    } else {
      full_.store(true, std::memory_order_relaxed);
    }
  }
}

// --- Threads -------------------------------------------------------------------------------------

Writer& Recorder::writer() {
  if (Writer* const mine = own) [[likely]]
    return *mine;
  return make_writer();
}

Writer& Recorder::make_writer() {
  Writer* mine = nullptr;
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      mine = idle_.back();
      idle_.pop_back();
    }
  }
  if (!mine) mine = new Writer;
  mine->owner = this;
  mine->depth = 0;
  mine->thread = threads_.fetch_add(1, std::memory_order_relaxed);
  own = mine;
  // In a child, the parent's writer is no longer the thread's own.
  os::at_thread_exit(
      [](void* ended) {
        auto* const writer = static_cast<Writer*>(ended);
        if (own != writer) return;
        own = nullptr;
        writer->owner->retire(*writer);
      },
      mine);
  if (mine->next != mine->end) begin_block(*mine);
  add(format::Thread{
      .number = mine->thread, .id = os::thread_id(), .name = text(os::thread_name())});
  return *mine;
}

void Recorder::retire(Writer& writer) {
  MutexLock lock(mutex_);
  idle_.push_back(&writer);
}

// Says at the place where the writer is in its block that the thread fills it from here on.
void Recorder::begin_block(Writer& writer) {
  auto* const begin = new (writer.next) format::Owner{.kind = Kind::none, .thread = writer.thread};
  writer.next += record_bytes;
  commit(begin->kind, Kind::owner);
}

void* Recorder::take(size_t records) {
  Writer& mine = writer();
  if (static_cast<size_t>(mine.end - mine.next) < records * record_bytes) [[unlikely]] {
    char* const block = take_block();
    if (!block) {
      std::atomic_ref(header().dropped).fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    mine.next = block;
    mine.end = block + block_bytes;
    begin_block(mine);
    add_clock();
  }
  return std::exchange(mine.next, mine.next + records * record_bytes);
}

void Recorder::add_clock() {
  const uint64_t before = os::ticks();
  const auto now = static_cast<uint64_t>(os::now_ns());
  const uint64_t after = os::ticks();
  add(format::Clock{.ticks = before + (after - before) / 2,
                    .monotonic_ns = now,
                    .unix_ns = static_cast<uint64_t>(os::unix_ns())});
}

// --- Texts ---------------------------------------------------------------------------------------

uint32_t Recorder::write_text(std::string_view text) {
  text = text.substr(0, format::most_text);
  constexpr size_t in_first = sizeof(format::Text::begin);
  const size_t rest = text.size() > in_first ? text.size() - in_first : 0;
  void* const place = take(1 + (rest + record_bytes - 1) / record_bytes);
  if (!place) return 0;
  auto* const first = new (place) format::Text{
      .kind = Kind::none, .number = last_text_ + 1, .bytes = static_cast<uint32_t>(text.size())};
  std::memcpy(static_cast<char*>(place) + offsetof(format::Text, begin), text.data(), text.size());
  commit(first->kind, Kind::text);
  return ++last_text_;
}

uint32_t Recorder::text_locked(std::string_view text) {
  const auto [known, fresh] = texts_.try_emplace(std::string(text), 0);
  if (known->second == 0) known->second = write_text(text);
  return known->second;
}

uint32_t Recorder::text(std::string_view text) {
  if (text.empty()) return 0;
  std::ignore = writer();  // which has the thread's name written
  MutexLock lock(mutex_);
  return text_locked(text);
}

uint32_t Recorder::place(const void* call_site) {
  if (!call_site) return 0;
  Writer::Known& mine = writer().slot(call_site);
  if (mine.key == call_site) [[likely]]
    return mine.number;
  uint32_t number = 0;
  {
    MutexLock lock(mutex_);
    if (const auto known = addresses_.find(call_site); known != addresses_.end())
      number = known->second;
  }
  if (number == 0) {
    number = text(callsite::describe_caller(call_site));
    MutexLock lock(mutex_);
    addresses_[call_site] = number;
  }
  mine = {call_site, nullptr, number};
  return number;
}

uint32_t Recorder::function(const void* address) {
  Writer::Known& mine = writer().slot(address);
  if (mine.key == address) [[likely]]
    return mine.number;
  mine = {address, nullptr, text(callsite::name_of_function(address))};
  return mine.number;
}

uint32_t Recorder::symbol(std::string_view name) {
  if (name.empty()) return 0;
  Writer::Known& mine = writer().slot(name.data());
  // The library that a name was in may be unloaded, and another one lie there.
  if (mine.key == name.data() && mine.symbol && *mine.symbol == name) [[likely]]
    return mine.number;
  std::string key(name);
  std::string readable = callsite::readable_name(key.c_str());
  MutexLock lock(mutex_);
  const auto [known, fresh] = symbols_.try_emplace(std::move(key), 0);
  if (known->second == 0) known->second = text_locked(readable);
  mine = {name.data(), &known->first, known->second};
  return known->second;
}

// --- Calls ---------------------------------------------------------------------------------------

format::Call* Recorder::begin_call(uint32_t function, uint32_t site) {
  Writer& mine = writer();
  if (mine.depth == mine.calls.size()) return nullptr;
  mine.last_time = os::ticks();
  format::Call* const call =
      add(format::Call{.function = function, .site = site, .began = mine.last_time});
  if (call) mine.calls[mine.depth++] = call;
  return call;
}

void Recorder::end_call(format::Call* call, int result) {
  call->result = result;
  end(call);
  Writer& mine = writer();
  // Calls that were left by an exception, or by the end of the thread, end with it.
  while (mine.depth > 0 && mine.calls[--mine.depth] != call) {
  }
}

uint64_t Recorder::now() { return writer().last_time = os::ticks(); }
uint64_t Recorder::last_time() { return writer().last_time; }

void Recorder::set_subject(uint32_t text) { writer().subject = text; }
uint32_t Recorder::subject() { return writer().subject; }

uint32_t Recorder::outer_call() {
  const Writer& mine = writer();
  return mine.depth > 0 ? number_of(mine.calls[0]) : 0;
}

format::Call* Recorder::inner_call() {
  const Writer& mine = writer();
  return mine.depth > 0 ? mine.calls[mine.depth - 1] : nullptr;
}

namespace {

format::Call* noted_call() {
  Recorder* const running = recorder();
  return running ? running->inner_call() : nullptr;
}

}  // namespace

void note_bytes(uint64_t bytes) {
  if (format::Call* const call = noted_call()) call->bytes += bytes;
}

void note_count(uint64_t count) {
  if (format::Call* const call = noted_call()) call->count += static_cast<uint32_t>(count);
}

void note(format::CallClass property) {
  if (format::Call* const call = noted_call())
    call->classes |= uint32_t{1} << static_cast<unsigned>(property);
}

}  // namespace cuvette::record
