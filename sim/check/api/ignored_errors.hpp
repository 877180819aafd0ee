// SPDX-License-Identifier: Apache-2.0
// IgnoredErrors: reports calls that failed without the program looking at their result, and
// contexts that a command has put into an error state, if the program has not looked at any call
// that returned it by the end.
//
// Whether a result is looked at is read from the machine code after the call; in doubt it is. A
// runtime library says of its own calls which of them fail, and when the program asks for the last
// error; what its calls of the driver return is its own business.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

// A call of the API that has failed.
struct FailedCall {
  const void* entry;  // an address within the function
  Error error;
  const char* sentence;  // why; may be null
  bool by_runtime;       // a runtime library has made it for the program
  bool reported;         // another report says what is wrong
};

// A call of a runtime library that is about to fail with an error that the library keeps.
struct FailedRuntimeCall {
  Error error;
  const void* place;
  bool unseen;           // the program gets no result of it
  std::string function;  // empty if it is not known
  std::string name;      // the library's for the error, empty: the driver's
  std::string why;       // empty if it is not known
};

class IgnoredErrors final : public device::Observer {
 public:
  // The process's; null without CUVETTE_CHECK=api.
  static IgnoredErrors* get();

  void faulted(const device::Stream& stream, uint64_t number, const device::Operation& operation,
               const os::MemoryFault& fault) override EXCLUDES(mutex_);
  void kernel_faulted(const device::Stream& stream, uint64_t number,
                      const device::Operation& operation, const exec::GridFault& fault) override
      EXCLUDES(mutex_);
  void context_ending(const device::Context& context) override EXCLUDES(mutex_);

  // Comes before the call returns.
  void failed(const FailedCall& call) EXCLUDES(mutex_);
  void runtime_failed(FailedRuntimeCall call) EXCLUDES(mutex_);
  // The calling thread has asked for the error that is kept.
  void runtime_is_asked() EXCLUDES(mutex_);
  // Reports what is left at the end of the process.
  void process_ends(int status) EXCLUDES(mutex_);

 private:
  // The command that has broken a context, and whether a call has returned the error to the
  // program.
  struct Broken {
    std::string command;
    const void* place;
    bool told = false;
    uint64_t thrown_away = 0;         // calls that returned the error
    const void* last_call = nullptr;  // the last of them
  };
  void broke(const device::Stream& stream, std::string command, const void* place) EXCLUDES(mutex_);
  // Returns whether it is certain that the result of the call at `place` is ignored.
  bool thrown_away(const void* place) EXCLUDES(mutex_);
  static void report(const Broken& broken, const char* end);

  Mutex mutex_;
  std::unordered_map<uint64_t, Broken> broken_ GUARDED_BY(mutex_);   // by the context's generation
  std::unordered_map<const void*, bool> thrown_ GUARDED_BY(mutex_);  // by the call's place
  // The errors that threads may still query.
  std::unordered_map<std::thread::id, std::vector<FailedRuntimeCall>> kept_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::check
