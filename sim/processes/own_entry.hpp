// SPDX-License-Identifier: Apache-2.0
// OwnEntry: this process's seat in the register.
//
// The seat is a lock of its file, which a view of the file holds: no descriptor stays open that the
// program could close, or a child inherit. The view is not looked into, unless devices are shared
// (Ledger), so a file that loses its pages does no harm.
//
// Threads: any for the ledgers; the rest is for one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/os/mapped_view.hpp"
#include "sim/os/segment.hpp"
#include "sim/processes/ledger.hpp"
#include "sim/processes/use.hpp"

namespace cuvette::os {
class NamedMemory;
}

namespace cuvette::processes {

class OwnEntry {
 public:
  // Takes a free seat in the register of this name. `shares`: reserves the memory for ledgers, too.
  // Null if there is none; `trouble` then says why.
  static std::unique_ptr<OwnEntry> take(const std::string& name, bool shares, std::string& trouble);

  // Writes what this process uses. `answers`: whether it will do so again when it is asked. False
  // if the register is gone.
  bool publish(const std::vector<DeviceUse>& use, bool answers);
  // Sleeps until a reader asks, without an open descriptor: programs may count theirs. False if the
  // register is gone: there will be no more readers.
  bool wait_until_asked();

  // Returns this process's account of a device that it shares with others, which lives as long as
  // the entry. Call it once for each device, below 16.
  std::unique_ptr<Ledger> ledger(unsigned index, const std::array<uint8_t, 16>& uuid);

 private:
  OwnEntry(std::string name, os::Segment::Identity file, std::unique_ptr<os::MappedView> view,
           unsigned seat, uint32_t asked);
  std::unique_ptr<os::NamedMemory> reopen() const;

  const std::string name_;
  const os::Segment::Identity file_;
  const std::unique_ptr<os::MappedView> view_;
  const unsigned seat_;
  const os::ProcessIdentity identity_ = os::own_identity();
  uint64_t count_ = 0;
  uint32_t answered_;  // the word of the last request
};

}  // namespace cuvette::processes
