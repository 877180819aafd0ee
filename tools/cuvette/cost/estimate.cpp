// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/estimate.hpp"

#include <algorithm>
#include <unordered_map>

#include "tools/cuvette/cost/calls.hpp"
#include "tools/cuvette/cost/memory_model.hpp"
#include "tools/cuvette/cost/row_choice.hpp"

namespace cuvette::tools {
namespace {

using Measures = CostTable::Measures;

// Functions that do nothing but wait.
bool only_waits(const std::string& function) {
  return function == "cuStreamSynchronize" || function == "cuCtxSynchronize" ||
         function == "cuEventSynchronize";
}

// Calls that wait here, but only queue with NVIDIA's driver: its GPU, not the host, waits for
// OpenGL.
bool queues_there(const std::string& function) {
  return function == "cuGraphicsMapResources" || function == "cuGraphicsUnmapResources" ||
         function == "cudaGraphicsMapResources" || function == "cudaGraphicsUnmapResources";
}

// Indices of a vector's elements by a key, in their order.
template <typename Elements, typename Key>
std::unordered_map<uint32_t, std::vector<uint32_t>> by(const Elements& elements, Key key) {
  std::unordered_map<uint32_t, std::vector<uint32_t>> index;
  for (uint32_t i = 0; i < elements.size(); ++i) index[key(elements[i])].push_back(i);
  return index;
}

class Walk {
 public:
  Walk(const Record& record, const CostTable& table)
      : record_(record),
        rows_(table),
        groups_(groups_of(record)),
        memory_(record, groups_),
        ready_(record.commands.size(), 0),
        // The steps of a graph are part of its launch.
        commands_of_(by(record.commands,
                        [](const auto& each) {
                          return each.launch == Record::none ? each.call : Record::none;
                        })),
        waits_of_(by(record.host_waits, [](const auto& each) { return each.call; })),
        edges_to_(by(record.edges, [](const auto& each) { return each.to; })) {
    after_work_ = rows_.find({"cuStreamSynchronize", {"behind-kernel"}, 0, 0}, Measures::wait).time;
  }

  Estimates all() {
    for (const CallGroup& group : groups_) add(group);
    return std::move(result_);
  }

 private:
  struct Clock {
    double now = 0;
    uint64_t here = 0;  // when the last call ended, on this machine's clock
  };
  struct Process {
    SmallBlocks blocks;
    Pool pool;
    int64_t registered = 0;  // resources of OpenGL
    double switched = 0;     // when the GPU is CUDA's again after OpenGL's work
  };

  uint32_t process_of(const Record::Call& call) const {
    return call.thread < record_.threads.size() ? record_.threads[call.thread].process
                                                : Record::none;
  }

  // The program's own time between two calls is what it is here.
  Clock& clock_at(const Record::Call& call) {
    const auto [found, is_new] = clocks_.try_emplace(call.thread);
    Clock& clock = found->second;
    const uint32_t process = process_of(call);
    const uint64_t before = !is_new                              ? clock.here
                            : process < record_.processes.size() ? record_.processes[process].began
                                                                 : call.began;
    if (call.began > before) clock.now += static_cast<double>(call.began - before);
    clock.here = call.ended == Record::open ? call.began : std::max(call.began, call.ended);
    return clock;
  }

  const std::vector<uint32_t>& of(const std::unordered_map<uint32_t, std::vector<uint32_t>>& index,
                                  uint32_t key) const {
    static const std::vector<uint32_t> none;
    const auto found = index.find(key);
    return found == index.end() ? none : found->second;
  }

  double stream_ready(uint32_t command) const {
    const auto found = streams_.find(record_.commands[command].stream);
    return found == streams_.end() ? 0 : found->second;
  }

  // Until when the call waits for work that was submitted before it.
  double waits_until(uint32_t outermost, const Process& process) const {
    if (queues_there(plain_function(record_.calls[outermost].function))) return 0;
    double until = of(waits_of_, outermost).empty() ? 0 : process.switched;
    for (const uint32_t wait : of(waits_of_, outermost)) {
      const uint32_t command = record_.host_waits[wait].command;
      if (command >= record_.commands.size()) continue;
      // Of its own work, the call's row says what it takes: only what came before holds it up.
      const bool is_own = record_.commands[command].call == outermost;
      until = std::max(until, is_own ? stream_ready(command) : ready_[command]);
    }
    return until;
  }

  PricedCall priced(uint32_t index, const CallGroup& group, Process& process, bool is_pending) {
    const Record::Call& call = record_.calls[index];
    PricedCall result{priced_as(plain_function(call.function)), words_of(call.classes), call.bytes,
                      call.count};
    const uint32_t made = memory_.made_by(group.outermost);
    const uint32_t freed = memory_.freed_by(group.outermost);
    const std::string& name = result.function;
    const bool frees = name.find("Free") != std::string::npos ||
                       name.find("Unmap") != std::string::npos ||
                       name.find("Unregister") != std::string::npos;
    const uint32_t memory = frees ? freed : made;
    if (memory != Record::none) {
      if (result.bytes == 0) result.bytes = record_.memories[memory].size;
      if (record_.memories[memory].kind == "external") result.words.insert("imported");
      if (record_.memories[memory].kind == "managed") result.words.insert("managed");
    }
    if (!result.words.contains("opengl")) {
      result.words.erase("idle");
      result.words.erase("pending");
      result.words.insert(is_pending ? "pending" : "idle");
    }
    add_memory_words(result, process);
    return result;
  }

  // Words that follow from the calls before.
  void add_memory_words(PricedCall& call, Process& process) {
    const std::string& name = call.function;
    if (name == "cuMemAlloc" && process.blocks.allocate(call.bytes))
      call.words.insert("from-block");
    if (name == "cuMemFree" && !call.words.contains("imported") && process.blocks.free(call.bytes))
      call.words.insert("from-block");
    if ((name == "cuMemAllocAsync" || name == "cuMemAllocFromPoolAsync") &&
        !process.pool.allocate(call.bytes))
      call.words.insert("first");
    if (name == "cuMemFreeAsync") process.pool.free(call.bytes);
    if (name == "cuMemPoolSetAttribute") process.pool.keep();
    int64_t& registered = process.registered;
    if (name == "cuGraphicsGLRegisterBuffer" && registered++ > 0) call.words.insert("beside");
    if (name == "cuGraphicsGLRegisterImage") ++registered;
    if (name == "cuGraphicsUnregisterResource" && --registered > 0) call.words.insert("beside");
  }

  // What the call's work keeps a later wait busy, beside the wait itself.
  Estimate busy(const PricedCall& call) const {
    const RowChoice::Answer answer = rows_.find(call, Measures::wait);
    if (!answer.has_row) return {};
    Estimate result = answer.time;
    result.p10 = std::max(0.0, result.p10 - after_work_.p10);
    result.median = std::max(0.0, result.median - after_work_.median);
    result.p90 = std::max(result.median, result.p90 - after_work_.p90);
    return result;
  }

  void add(const CallGroup& group) {
    const Record::Call& outer = record_.calls[group.outermost];
    Clock& clock = clock_at(outer);
    Process& process = processes_[process_of(outer)];
    EstimatedCall estimated{group.outermost, {}, true, false, 0};
    const auto& commands = of(commands_of_, group.outermost);
    const double until = waits_until(group.outermost, process);
    // Work that a wait would still have to wait for is pending.
    const double last = commands.empty() ? until : std::max(until, stream_ready(commands.front()));
    const bool is_pending = last > 0 && last + after_work_.median > clock.now;
    Estimate work;  // of what the group submits
    bool waits = false;
    for (const uint32_t index : group.of_driver) {
      PricedCall call = priced(index, group, process, is_pending);
      if (only_waits(call.function)) call.words.insert("idle");  // add_wait() adds the rest
      RowChoice::Answer answer = rows_.find(call, Measures::host);
      if (only_waits(call.function)) {
        waits = true;
        if (const uint64_t gone = process.pool.wait()) {
          const auto trim = rows_.find({"cuStreamSynchronize", {"freed"}, gone, 0}, Measures::wait);
          if (trim.has_row) answer.time = trim.time;
        }
      }
      if (!answer.has_row) {
        estimated.has_row = false;
        FunctionWithoutRow& missing =
            result_.without_row[plain_function(record_.calls[index].function)];
        ++missing.calls;
        missing.here += time_here(record_.calls[index]);
      }
      estimated.is_vague |= answer.is_vague;
      estimated.there += answer.time;
      if (call.function == "cuGraphicsMapResources")
        process.switched = std::max(process.switched, clock.now + busy(call).median);
      else
        work += busy(call);
    }
    add_own_part(group, estimated);
    add_wait(estimated, until - clock.now, waits && until > 0);
    clock.now += estimated.there.median;
    submit(commands, clock.now, work.median);
    result_.calls.push_back(estimated);
  }

  // `left`: from now to the end of what the call waits for.
  void add_wait(EstimatedCall& estimated, double left, bool only_waits) {
    estimated.waits = std::max(left, 0.0);
    if (only_waits) {  // it returns some time after the work's end, however early it was called
      Estimate& time = estimated.there;
      time.p10 = std::max(time.p10, left + after_work_.p10);
      time.median = std::max(time.median, left + after_work_.median);
      time.p90 = std::max(time.p90, left + after_work_.p90);
    } else {
      estimated.there += Estimate{estimated.waits, estimated.waits, estimated.waits, false};
    }
  }

  void add_own_part(const CallGroup& group, EstimatedCall& estimated) {
    const std::string function = plain_function(record_.calls[group.outermost].function);
    if (!is_of_runtime(function)) return;
    const auto own = rows_.find({function, {}, 0, 0}, Measures::own);
    estimated.there += own.time;
    if (own.has_row) return;
    if (!group.of_driver.empty()) {
      ++result_.without_own_part;
      return;
    }
    estimated.has_row = false;
    FunctionWithoutRow& missing = result_.without_row[function];
    ++missing.calls;
    missing.here += time_here(record_.calls[group.outermost]);
  }

  // The work begins when it is submitted, and all that it waits for has ended.
  void submit(const std::vector<uint32_t>& commands, double now, double busy) {
    for (const uint32_t command : commands) {
      double begin = std::max(now, stream_ready(command));
      for (const uint32_t edge : of(edges_to_, command))
        if (record_.edges[edge].from < ready_.size())
          begin = std::max(begin, ready_[record_.edges[edge].from]);
      ready_[command] = begin + busy / static_cast<double>(commands.size());
      streams_[record_.commands[command].stream] = ready_[command];
    }
  }

  const Record& record_;
  const RowChoice rows_;
  const std::vector<CallGroup> groups_;
  const MadeMemory memory_;
  std::vector<double> ready_;  // by commands: when it has ended
  const std::unordered_map<uint32_t, std::vector<uint32_t>> commands_of_, waits_of_, edges_to_;
  Estimate after_work_;  // from the work's end to the return of a call that waits for it
  std::map<uint32_t, Clock> clocks_;    // by threads
  std::map<uint32_t, double> streams_;  // when all of a stream has ended
  std::map<uint32_t, Process> processes_;
  Estimates result_;
};

}  // namespace

Estimates estimate(const Record& record, const CostTable& table) {
  return Walk(record, table).all();
}

}  // namespace cuvette::tools
