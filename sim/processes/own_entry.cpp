// SPDX-License-Identifier: Apache-2.0
#include "sim/processes/own_entry.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "sim/os/futex.hpp"
#include "sim/os/named_memory.hpp"
#include "sim/os/output.hpp"
#include "sim/processes/layout.hpp"
#include "sim/processes/register.hpp"

namespace cuvette::processes {
namespace {

constexpr size_t asked_at = offsetof(layout::Header, asked);
constexpr int64_t hour_ns = int64_t{3600} * 1'000'000'000;

// Copies the end of a text, with a zero after it: of a path, that is what tells programs apart.
template <size_t size>
void write_end(char (&to)[size], std::string_view text) {
  if (text.size() >= size) text.remove_prefix(text.size() - (size - 1));
  std::memcpy(to, text.data(), text.size());
}
template <size_t size>
void write_begin(char (&to)[size], std::string_view text) {
  std::memcpy(to, text.data(), std::min(text.size(), size - 1));
}

void write(layout::DeviceRecord& to, const DeviceUse& use) {
  std::ranges::copy(use.uuid, to.uuid);
  write_begin(to.model, use.model);
  write_begin(to.kernel, use.kernel);
  to.total = use.total;
  to.used = use.used;
  to.streams = use.streams;
  to.pending = use.pending;
  to.index = use.index;
  to.in_context = use.in_context ? 1 : 0;
}

// Makes the file a register, if it is none yet. Its beginning is the same for all, so several
// processes may do that at a time.
bool prepare(const os::NamedMemory& memory, bool shares) {
  uint64_t magic = 0;
  if (!memory.reserve(0, layout::page)) return false;
  if (shares && !memory.reserve(layout::claims_at, layout::claims_size)) return false;
  if (memory.read(0, &magic, sizeof magic) && magic == layout::Header::expected_magic) return true;
  magic = layout::Header::expected_magic;
  return memory.write(0, &magic, sizeof magic);
}

// Returns the number of a seat that is this process's now; `seats` if all are taken.
unsigned take_seat(const os::NamedMemory& memory) {
  for (unsigned seat = 0; seat < layout::seats; ++seat) {
    if (!memory.try_lock(seat)) continue;
    clear_claims(memory, seat);  // of a dead process
    return seat;
  }
  return layout::seats;
}

}  // namespace

std::unique_ptr<OwnEntry> OwnEntry::take(const std::string& name, bool shares,
                                         std::string& trouble) {
  if (name.empty()) {
    trouble = "CUVETTE_REGISTER switches the register of processes off.";
    return nullptr;
  }
  const auto memory = os::NamedMemory::open(name, layout::size, true, trouble);
  if (!memory) return nullptr;
  if (!prepare(*memory, shares)) {
    trouble = os::NamedMemory::path_of(name) + " gets no memory: is /dev/shm full?";
    return nullptr;
  }
  auto view = memory->map(layout::size);
  if (!view) {
    trouble = os::NamedMemory::path_of(name) + " cannot be mapped.";
    return nullptr;
  }
  const unsigned seat = take_seat(*memory);
  if (seat == layout::seats || !memory->reserve(layout::record_at(seat), layout::page)) {
    trouble = seat == layout::seats
                  ? std::to_string(seat) + " processes are registered; more do not fit."
                  : os::NamedMemory::path_of(name) + " gets no memory: is /dev/shm full?";
    return nullptr;
  }
  uint32_t asked = 0;
  memory->read(asked_at, &asked, sizeof asked);
  return std::unique_ptr<OwnEntry>(
      new OwnEntry(name, memory->identity(), std::move(view), seat, asked));
}

OwnEntry::OwnEntry(std::string name, os::Segment::Identity file,
                   std::unique_ptr<os::MappedView> view, unsigned seat, uint32_t asked)
    : name_(std::move(name)), file_(file), view_(std::move(view)), seat_(seat), answered_(asked) {}

std::unique_ptr<os::NamedMemory> OwnEntry::reopen() const {
  std::string trouble;
  auto memory = os::NamedMemory::open(name_, layout::size, false, trouble);
  return memory && memory->identity() == file_ ? std::move(memory) : nullptr;
}

bool OwnEntry::publish(const std::vector<DeviceUse>& use, bool answers) {
  const auto memory = reopen();
  if (!memory) return false;
  layout::Record record{};
  record.count = ++count_;
  record.pid = identity_.pid;
  record.start = identity_.start;
  record.pid_namespace = identity_.pid_namespace;
  record.answers = answers ? 1 : 0;
  record.device_count = static_cast<uint32_t>(std::min<size_t>(use.size(), layout::devices));
  write_end(record.program, os::program());
  for (uint32_t number = 0; number < record.device_count; ++number)
    write(record.device[number], use[number]);
  record.sum = layout::sum_of(record);
  return memory->write(layout::record_at(seat_), &record, sizeof record);
}

bool OwnEntry::wait_until_asked() {
  auto* const begin = static_cast<char*>(view_->data());
  auto& word = *reinterpret_cast<std::atomic<uint32_t>*>(begin + asked_at);
  for (;;) {
    os::sleep_while_shared(word, answered_, hour_ns);
    const auto memory = reopen();
    uint32_t asked = 0;
    if (!memory || !memory->read(asked_at, &asked, sizeof asked)) return false;
    if (asked != std::exchange(answered_, asked)) return true;
    // Should the system refuse to sleep on the word, this thread takes no processor for itself.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::unique_ptr<Ledger> OwnEntry::ledger(unsigned index, const std::array<uint8_t, 16>& uuid) {
  auto* const begin = static_cast<char*>(view_->data());
  auto* const claims = reinterpret_cast<layout::Claim*>(begin + layout::claim_at(index, 0));
  return std::make_unique<Ledger>(claims, seat_, uuid, [this](const std::vector<unsigned>& seats) {
    const auto memory = reopen();
    if (!memory) return;
    for (const unsigned seat : seats) clear_dead(*memory, seat);
  });
}

}  // namespace cuvette::processes
