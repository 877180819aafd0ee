// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/estimate.hpp"

#include <algorithm>
#include <unordered_map>

#include "tools/cuvette/cost/calls.hpp"
#include "tools/cuvette/cost/process_model.hpp"
#include "tools/cuvette/cost/row_choice.hpp"
#include "tools/cuvette/cost/stream_clocks.hpp"

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

bool is_of_graphics(const Record::Call& call) {
  return call.function.find("Graphics") != std::string::npos ||
         call.classes.find("vulkan") != std::string::npos ||
         call.classes.find("opengl") != std::string::npos;
}

// Where the device does what the call submits.
Engine engine_of(const PricedCall& call) {
  if (call.words.contains("from-host")) return Engine::from_host;
  if (call.words.contains("to-host")) return Engine::to_host;
  const bool runs = call.function.starts_with("cuLaunch") ||
                    call.function.starts_with("cuMemset") || call.function == "cuGraphLaunch" ||
                    call.words.contains("in-device");
  return runs ? Engine::kernels : Engine::none;
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
        busy_here_(record),
        ready_(record.commands.size(), 0),
        // The steps of a graph are part of its launch.
        commands_of_(by(record.commands,
                        [](const auto& each) {
                          return each.launch == Record::none ? each.call : Record::none;
                        })),
        waits_of_(by(record.host_waits, [](const auto& each) { return each.call; })),
        edges_to_(by(record.edges, [](const auto& each) { return each.to; })),
        clocks_of_streams_(rows_.find({"engine-change", {}, 0, 0}, Measures::wait).time.median) {
    after_work_ = rows_.find({"cuStreamSynchronize", {"behind-kernel"}, 0, 0}, Measures::wait).time;
  }

  Estimates all() {
    for (const Record::Call& call : record_.calls)
      if (is_of_graphics(call)) processes_[process_of(call)].uses_graphics();
    for (const CallGroup& group : groups_) add(group);
    return std::move(result_);
  }

 private:
  struct Clock {
    double now = 0;
    uint64_t here = 0;  // when the last call ended, on this machine's clock
  };

  struct Submission {
    Engine engine = Engine::none;
    bool is_async = false;
  };

  uint32_t process_of(const Record::Call& call) const {
    return call.thread < record_.threads.size() ? record_.threads[call.thread].process
                                                : Record::none;
  }

  // The program's own time between two calls is what it is here while no command runs.
  Clock& clock_at(const Record::Call& call) {
    const auto [found, is_new] = clocks_.try_emplace(call.thread);
    Clock& clock = found->second;
    const uint32_t process = process_of(call);
    const uint64_t before = !is_new                              ? clock.here
                            : process < record_.processes.size() ? record_.processes[process].began
                                                                 : call.began;
    clock.now += busy_here_.idle_between(before, call.began);
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
    return clocks_of_streams_.ready(record_.commands[command].stream);
  }

  // The streams that a call waits for. Where the work had ended here before the call, the record
  // has no waits: cuCtxSynchronize waits for all streams, and cuStreamSynchronize is taken to wait
  // for the one that its thread has used last.
  std::vector<uint32_t> streams_without_waits(const CallGroup& group) const {
    std::vector<uint32_t> result;
    if (!of(waits_of_, group.outermost).empty()) return result;
    const Record::Call& outer = record_.calls[group.outermost];
    for (const uint32_t index : group.of_driver) {
      const std::string function = plain_function(record_.calls[index].function);
      for (uint32_t i = 0; function == "cuCtxSynchronize" && i < record_.streams.size(); ++i)
        if (process_of_stream(i) == process_of(outer)) result.push_back(i);
      const auto last = last_streams_.find(outer.thread);
      if (function == "cuStreamSynchronize" && last != last_streams_.end())
        result.push_back(last->second);
    }
    return result;
  }

  uint32_t process_of_stream(uint32_t stream) const {
    const uint32_t device = record_.streams[stream].device;
    return device < record_.devices.size() ? record_.devices[device].process : Record::none;
  }

  // Until when the call waits for work that was submitted before it.
  double waits_until(uint32_t outermost, const ProcessModel& process) const {
    if (queues_there(plain_function(record_.calls[outermost].function))) return 0;
    double until = of(waits_of_, outermost).empty() ? 0 : process.switched;
    for (const uint32_t wait : of(waits_of_, outermost)) {
      const uint32_t command = record_.host_waits[wait].command;
      // The host may know that all of the stream's work has ended.
      if (command >= record_.commands.size() || stream_ready(command) == 0) continue;
      // Of its own work, the call's row says what it takes: only what came before holds it up.
      const bool is_own = record_.commands[command].call == outermost;
      until = std::max(until, is_own ? stream_ready(command) : ready_[command]);
    }
    return until;
  }

  PricedCall priced(uint32_t index, const CallGroup& group, ProcessModel& process,
                    bool is_pending) {
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
    process.add_words(result);
    return result;
  }

  // How much later than an empty kernel the call's work lets a wait return; less than 0 if the call
  // itself has waited for the work, or most of it.
  double busy(const PricedCall& call) const {
    const RowChoice::Answer answer = rows_.find(call, Measures::wait);
    return answer.has_row ? answer.time.median - after_work_.median : 0;
  }

  void add(const CallGroup& group) {
    const Record::Call& outer = record_.calls[group.outermost];
    Clock& clock = clock_at(outer);
    ProcessModel& process = processes_[process_of(outer)];
    EstimatedCall estimated{group.outermost, {}, true, false, 0};
    const auto& commands = of(commands_of_, group.outermost);
    const std::vector<uint32_t> implied = streams_without_waits(group);
    double until = waits_until(group.outermost, process);
    for (const uint32_t stream : implied) until = std::max(until, clocks_of_streams_.ready(stream));
    // Work that a wait would still have to wait for is pending.
    const double last = commands.empty() ? until : std::max(until, stream_ready(commands.front()));
    const bool is_pending = last > 0 && last + after_work_.median > clock.now;
    double work = 0;  // of what the group submits
    Submission submitted;
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
      const std::string first = first_as(call.function);
      if (process.is_first(first))
        estimated.there += rows_.find({first, {}, 0, 0}, Measures::first).time;
      if (submitted.engine == Engine::none)
        submitted = {engine_of(call), call.words.contains("async")};
      if (call.function == "cuGraphicsMapResources")
        process.switched = std::max(process.switched, clock.now + busy(call));
      else
        work += busy(call);
    }
    add_own_part(group, estimated);
    add_wait(estimated, until - clock.now, waits && until > 0);
    clock.now += estimated.there.median;
    submit(commands, submitted.engine, clock.now, work);
    for (const uint32_t stream : implied) clocks_of_streams_.waited(stream, until);
    note_waits(group.outermost, submitted, commands);
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

  void submit(const std::vector<uint32_t>& commands, Engine engine, double now, double busy) {
    for (const uint32_t command : commands) {
      double after = 0;
      for (const uint32_t edge : of(edges_to_, command))
        if (record_.edges[edge].from < ready_.size())
          after = std::max(after, ready_[record_.edges[edge].from]);
      const uint32_t stream = record_.commands[command].stream;
      const uint32_t device =
          stream < record_.streams.size() ? record_.streams[stream].device : Record::none;
      last_streams_[record_.calls[record_.commands[command].call].thread] = stream;
      ready_[command] = clocks_of_streams_.submit(device, stream, engine, now, after,
                                                  busy / static_cast<double>(commands.size()));
    }
  }

  // The host knows the end of what a call has waited for. Of a copy from its memory that waits, it
  // knows no more than that the driver has taken the bytes.
  void note_waits(uint32_t outermost, const Submission& submitted,
                  const std::vector<uint32_t>& own) {
    if (queues_there(plain_function(record_.calls[outermost].function))) return;
    for (const uint32_t wait : of(waits_of_, outermost)) {
      const uint32_t command = record_.host_waits[wait].command;
      if (command >= record_.commands.size() || record_.commands[command].call == outermost)
        continue;
      clocks_of_streams_.waited(record_.commands[command].stream, ready_[command]);
    }
    if (submitted.engine != Engine::to_host || submitted.is_async) return;
    for (const uint32_t command : own)
      clocks_of_streams_.waited(record_.commands[command].stream, ready_[command]);
  }

  const Record& record_;
  const RowChoice rows_;
  const std::vector<CallGroup> groups_;
  const MadeMemory memory_;
  const BusyTimes busy_here_;
  std::vector<double> ready_;  // by commands: when it has ended
  const std::unordered_map<uint32_t, std::vector<uint32_t>> commands_of_, waits_of_, edges_to_;
  StreamClocks clocks_of_streams_;
  Estimate after_work_;  // from the work's end to the return of a call that waits for it
  std::map<uint32_t, Clock> clocks_;           // by threads
  std::map<uint32_t, uint32_t> last_streams_;  // by threads: where the last work went
  std::map<uint32_t, ProcessModel> processes_;
  Estimates result_;
};

}  // namespace

Estimates estimate(const Record& record, const CostTable& table) {
  return Walk(record, table).all();
}

}  // namespace cuvette::tools
