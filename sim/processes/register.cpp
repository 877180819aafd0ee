// SPDX-License-Identifier: Apache-2.0
#include "sim/processes/register.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "sim/os/clock.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/named_memory.hpp"
#include "sim/processes/layout.hpp"

namespace cuvette::processes {
namespace {

using layout::Record;

constexpr std::chrono::microseconds between_looks(200), time_for_repair(5000);

std::string text_of(const char* bytes, size_t most) {
  std::string text(bytes, strnlen(bytes, most));
  // It may go to a terminal.
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) letter = '?';
  return text;
}

std::optional<Record> read_record(const os::NamedMemory& memory, unsigned seat) {
  Record record;
  // Its owner may be writing it.
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (!memory.read(layout::record_at(seat), &record, sizeof record) || record.count == 0)
      return std::nullopt;
    if (record.sum == layout::sum_of(record) && record.device_count <= layout::devices)
      return record;
    std::this_thread::yield();
  }
  return std::nullopt;
}

os::ProcessIdentity identity_of(const Record& record) {
  return {record.pid, record.start, record.pid_namespace};
}

Process process_of(const Record& record) {
  Process process;
  process.identity = identity_of(record);
  process.program = text_of(record.program, sizeof record.program);
  for (unsigned number = 0; number < record.device_count; ++number) {
    const layout::DeviceRecord& from = record.device[number];
    DeviceUse use;
    std::copy_n(from.uuid, use.uuid.size(), use.uuid.begin());
    use.model = text_of(from.model, sizeof from.model);
    use.kernel = text_of(from.kernel, sizeof from.kernel);
    use.index = from.index;
    use.in_context = from.in_context != 0;
    use.total = from.total;
    use.used = from.used;
    use.streams = from.streams;
    use.pending = from.pending;
    process.devices.push_back(std::move(use));
  }
  return process;
}

// A seat that may have a living owner, and the record that was there before the reader asked.
struct Seat {
  unsigned number;
  Record record;
  os::Sight sight;
  bool current;
};

// Whether anything but zeros is at the seat. Reading the count alone is quicker than the record.
bool is_used(const os::NamedMemory& memory, unsigned seat) {
  uint64_t count = 0;
  return memory.read(layout::record_at(seat), &count, sizeof count) && count != 0;
}

// `damaged`: set if a living owner's record cannot be read.
std::vector<Seat> living(const os::NamedMemory& memory, const os::ProcessIdentity& self,
                         bool& damaged) {
  std::vector<Seat> seats;
  for (unsigned seat = 0; seat < layout::seats; ++seat) {
    if (!is_used(memory, seat) || clear_dead(memory, seat)) continue;
    const auto record = read_record(memory, seat);
    damaged |= !record;
    if (!record) continue;
    const os::ProcessIdentity identity = identity_of(*record);
    const os::Sight sight = os::look_at(identity);
    // A descriptor that a child has inherited may keep the lock of a dead process.
    if (sight == os::Sight::gone) continue;
    seats.push_back({seat, *record, sight, identity == self});
  }
  return seats;
}

// Wakes all processes that have a seat.
void ask(const os::NamedMemory& memory) {
  uint32_t asked = 0;
  constexpr size_t at = offsetof(layout::Header, asked);
  memory.read(at, &asked, sizeof asked);
  ++asked;
  memory.write(at, &asked, sizeof asked);
  // The system alone looks at the word: an access here might find that it has lost its page.
  if (const auto view = memory.map(layout::page))
    os::wake_all(*reinterpret_cast<std::atomic<uint32_t>*>(static_cast<char*>(view->data()) + at));
}

// Takes over what the seat says now. Returns whether nothing more is to be waited for.
bool has_answered(const os::NamedMemory& memory, Seat& seat) {
  if (seat.current || seat.sight == os::Sight::stopped) return true;
  if (!seat.record.answers) {
    // Before its first context a process has nothing new to say.
    seat.current =
        std::none_of(seat.record.device, seat.record.device + seat.record.device_count,
                     [](const layout::DeviceRecord& one) { return one.in_context != 0; });
    return true;
  }
  if (!memory.is_locked(seat.number)) return true;
  const auto now = read_record(memory, seat.number);
  if (!now || now->count == seat.record.count) {
    // It may have been stopped meanwhile.
    seat.sight = os::look_at(identity_of(seat.record));
    return false;
  }
  seat.current = now->pid == seat.record.pid;
  if (seat.current) seat.record = *now;
  return true;
}

void wait_for_answers(const os::NamedMemory& memory, std::vector<Seat>& seats,
                      int64_t patience_ns) {
  const int64_t end = os::now_ns() + patience_ns;
  for (;;) {
    bool all = true;
    for (Seat& seat : seats) all &= has_answered(memory, seat);
    if (all || os::now_ns() >= end) return;
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace

std::string register_name(const std::string& knob) {
  if (knob == "off" || knob == "0") return "";
  return "cuvette-register-1." + std::to_string(os::user_id()) + (knob.empty() ? "" : "." + knob);
}

void clear_claims(const os::NamedMemory& memory, unsigned seat) {
  const char nothing[sizeof(layout::Claim)] = {};
  for (unsigned device = 0; device < layout::devices; ++device) {
    char claim[sizeof nothing];
    // Pages of the file that no process has needed stay without memory.
    if (memory.read(layout::claim_at(device, seat), claim, sizeof claim) &&
        std::memcmp(claim, nothing, sizeof claim) != 0)
      memory.write(layout::claim_at(device, seat), nothing, sizeof nothing);
  }
}

bool clear_dead(const os::NamedMemory& memory, unsigned seat) {
  if (!memory.try_lock(seat)) return false;
  clear_claims(memory, seat);
  memory.discard(layout::record_at(seat), layout::page);
  memory.unlock(seat);
  return true;
}

Listing list(const std::string& name, int64_t patience_ns, const os::ProcessIdentity& self) {
  Listing listing;
  if (name.empty()) {
    listing.trouble = "CUVETTE_REGISTER switches the register of processes off.";
    return listing;
  }
  const auto memory = os::NamedMemory::open(name, layout::size, false, listing.trouble);
  if (!memory) return listing;
  bool damaged = false;
  std::vector<Seat> seats = living(*memory, self, damaged);
  // Even if no seat can be read: those whose records are damaged write them anew, for the next
  // reader, if not for this one.
  ask(*memory);
  if (damaged && patience_ns > 0) {
    std::this_thread::sleep_for(time_for_repair);
    seats = living(*memory, self, damaged);
    ask(*memory);
  }
  wait_for_answers(*memory, seats, patience_ns);
  for (const Seat& seat : seats) {
    if (!memory->is_locked(seat.number)) continue;  // it has ended meanwhile
    Process process = process_of(seat.record);
    process.sight = seat.sight;
    process.current = seat.current;
    listing.processes.push_back(std::move(process));
  }
  return listing;
}

}  // namespace cuvette::processes
