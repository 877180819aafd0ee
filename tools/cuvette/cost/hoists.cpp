// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/hoists.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tools/cuvette/cost/calls.hpp"
#include "tools/cuvette/cost/row_choice.hpp"
#include "tools/cuvette/cost/time_text.hpp"

namespace cuvette::tools {
namespace {

constexpr uint64_t fewest = 4;  // calls that are worth a sentence

// Things that are made and given back.
struct Kind {
  const char* name;  // "an import"
  std::set<std::string> makers, enders;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"import",
       {"cuImportExternalMemory", "cudaImportExternalMemory"},
       {"cuDestroyExternalMemory", "cudaDestroyExternalMemory"}},
      {"mapping",
       {"cuExternalMemoryGetMappedBuffer", "cudaExternalMemoryGetMappedBuffer"},
       {"cuMemFree", "cudaFree"}},
      {"imported semaphore",
       {"cuImportExternalSemaphore", "cudaImportExternalSemaphore"},
       {"cuDestroyExternalSemaphore", "cudaDestroyExternalSemaphore"}},
      {"registration",
       {"cuGraphicsGLRegisterBuffer", "cuGraphicsGLRegisterImage", "cudaGraphicsGLRegisterBuffer",
        "cudaGraphicsGLRegisterImage"},
       {"cuGraphicsUnregisterResource", "cudaGraphicsUnregisterResource"}},
      {"allocation",
       {"cuMemAlloc", "cuMemAllocPitch", "cudaMalloc", "cudaMallocPitch"},
       {"cuMemFree", "cudaFree"}},
      {"allocation of host memory",
       {"cuMemAllocHost", "cuMemHostAlloc", "cudaMallocHost", "cudaHostAlloc"},
       {"cuMemFreeHost", "cudaFreeHost"}},
      {"registration of host memory",
       {"cuMemHostRegister", "cudaHostRegister"},
       {"cuMemHostUnregister", "cudaHostUnregister"}},
      {"stream",
       {"cuStreamCreate", "cuStreamCreateWithPriority", "cudaStreamCreate",
        "cudaStreamCreateWithFlags", "cudaStreamCreateWithPriority"},
       {"cuStreamDestroy", "cudaStreamDestroy"}},
      {"event",
       {"cuEventCreate", "cudaEventCreate", "cudaEventCreateWithFlags"},
       {"cuEventDestroy", "cudaEventDestroy"}},
      {"instantiated graph",
       {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", "cuGraphInstantiateWithParams",
        "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags", "cudaGraphInstantiateWithParams"},
       {"cuGraphExecDestroy", "cudaGraphExecDestroy"}},
      {"loaded module",
       {"cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx", "cuModuleLoadFatBinary",
        "cuLibraryLoadData"},
       {"cuModuleUnload", "cuLibraryUnload"}},
      {"context", {"cuCtxCreate"}, {"cuCtxDestroy"}},
  };
  return all;
}

const std::set<std::string> waits = {"cuStreamSynchronize",   "cuCtxSynchronize",
                                     "cuEventSynchronize",    "cudaStreamSynchronize",
                                     "cudaDeviceSynchronize", "cudaEventSynchronize"};
const std::set<std::string> maps = {"cuGraphicsMapResources", "cudaGraphicsMapResources",
                                    "cuGraphicsUnmapResources", "cudaGraphicsUnmapResources"};

std::string at(const std::string& call_site) { return call_site.empty() ? "" : " at " + call_site; }

std::string times(uint64_t count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

class Search {
 public:
  Search(const Record& record, const Estimates& estimates, const CostTable& table)
      : record_(record), estimates_(estimates), rows_(table), memory_(record, groups_of(record)) {}

  std::vector<Hoist> all() {
    for (const Kind& kind : kinds()) find_made_again(kind);
    find_waits();
    find_single_maps();
    double whole = 0;
    for (const EstimatedCall& each : estimates_.calls) whole += each.there.median;
    std::erase_if(found_, [&](const Hoist& hoist) { return hoist.now - hoist.then < whole / 200; });
    std::stable_sort(found_.begin(), found_.end(), [](const Hoist& one, const Hoist& other) {
      return one.now - one.then > other.now - other.then;
    });
    return std::move(found_);
  }

 private:
  // Calls of one function at one place.
  struct Site {
    uint64_t calls = 0;
    double ns = 0;
  };
  using Sites = std::map<std::pair<std::string, std::string>, Site>;  // function, call site

  const Record::Call& call_of(const EstimatedCall& each) const { return record_.calls[each.call]; }

  // Whether the call makes or ends something of this kind: cuMemFree ends two.
  bool ends(const Kind& kind, const std::string& function, uint32_t call) const {
    if (!kind.enders.contains(function)) return false;
    if (function != "cuMemFree" && function != "cudaFree") return true;
    const uint32_t memory = memory_.freed_by(call);
    const bool is_window = words_of(record_.calls[call].classes).contains("imported") ||
                           (memory != Record::none && record_.memories[memory].kind == "external");
    return is_window == (std::string_view(kind.name) == "mapping");
  }

  void find_made_again(const Kind& kind) {
    Sites sites;
    Site endings;
    int64_t alive = 0, most_alive = 0;
    uint64_t made = 0;
    for (const EstimatedCall& each : estimates_.calls) {
      const std::string function = plain_function(call_of(each).function);
      if (kind.makers.contains(function)) {
        Site& site = sites[{function, call_of(each).call_site}];
        ++site.calls;
        site.ns += each.there.median;
        ++made;
        most_alive = std::max(most_alive, ++alive);
      } else if (ends(kind, function, each.call)) {
        alive = std::max<int64_t>(alive - 1, 0);
        ++endings.calls;
        endings.ns += each.there.median;
      }
    }
    for (const auto& [where, site] : sites) {
      const auto needed = std::min(site.calls, static_cast<uint64_t>(most_alive));
      if (site.calls < fewest || needed * 2 > site.calls) continue;
      const double ending = endings.calls ? endings.ns / static_cast<double>(made) : 0;
      const double now = site.ns + ending * static_cast<double>(site.calls);
      const double then = now * static_cast<double>(needed) / static_cast<double>(site.calls);
      add({"", where.first, where.second, site.calls, needed, now, then},
          times(site.calls) + ", and given back: " + time_text(now) + "; made " + times(needed) +
              " and kept: " + time_text(then));
    }
  }

  void find_waits() {
    Sites sites;
    for (const EstimatedCall& each : estimates_.calls) {
      const std::string function = plain_function(call_of(each).function);
      if (!waits.contains(function)) continue;
      Site& site = sites[{function, call_of(each).call_site}];
      ++site.calls;
      site.ns += std::max(0.0, each.there.median - each.waits);
    }
    for (const auto& [where, site] : sites) {
      if (site.calls < 4 * fewest) continue;
      const double then = site.ns / static_cast<double>(site.calls);
      add({"", where.first, where.second, site.calls, 1, site.ns, then},
          times(site.calls) + ": " + time_text(site.ns) +
              " beside the work that it waits for; one wait at the end: " + time_text(then));
    }
  }

  // Consecutive calls that map one resource after another. A wait, or a launch of anything between
  // two of them, ends the run.
  void find_single_maps() {
    struct Runs {
      uint64_t calls = 0, instead = 0, run = 0;
      uint64_t resources = 0;  // of the current run
      double now = 0, then = 0, run_now = 0;
      std::set<std::string> words;
    };
    std::map<std::tuple<uint32_t, std::string, std::string>, Runs> sites;
    const auto end = [&](const std::string& function, Runs& runs) {
      if (runs.run == 0) return;
      PricedCall one{function, runs.words, 0, static_cast<uint32_t>(runs.resources)};
      if (one.function.starts_with("cuda")) one.function.erase(2, 2);
      const auto answer = rows_.find(one, CostTable::Measures::host);
      const double together = answer.has_row ? answer.time.median : runs.run_now;
      runs.calls += runs.run;
      ++runs.instead;
      runs.now += runs.run_now;
      runs.then += std::min(together, runs.run_now);
      runs.run = runs.resources = 0;
      runs.run_now = 0;
    };
    for (const EstimatedCall& each : estimates_.calls) {
      const Record::Call& call = call_of(each);
      const std::string function = plain_function(call.function);
      const bool is_harmless = function.find("Get") != std::string::npos;
      for (auto& [where, runs] : sites)
        if (std::get<0>(where) == call.thread && !is_harmless && std::get<1>(where) != function)
          end(std::get<1>(where), runs);
      if (!maps.contains(function)) continue;
      Runs& runs = sites[{call.thread, function, call.call_site}];
      ++runs.run;
      runs.resources += std::max(call.count, 1u);
      runs.run_now += each.there.median;
      runs.words = words_of(call.classes);
    }
    for (auto& [where, runs] : sites) {
      const std::string& function = std::get<1>(where);
      end(function, runs);
      if (runs.calls < fewest || runs.instead * 2 > runs.calls) continue;
      add({"", function, std::get<2>(where), runs.calls, runs.instead, runs.now, runs.then},
          times(runs.calls) + ", one call after another: " + time_text(runs.now) + "; " +
              (runs.instead == 1 ? std::string("one call for all: ")
                                 : times(runs.instead) + ", with all resources in one call: ") +
              time_text(runs.then));
    }
  }

  void add(Hoist hoist, const std::string& how) {
    hoist.sentence = hoist.function + at(hoist.call_site) + " " + how;
    found_.push_back(std::move(hoist));
  }

  const Record& record_;
  const Estimates& estimates_;
  const RowChoice rows_;
  const MadeMemory memory_;
  std::vector<Hoist> found_;
};

}  // namespace

std::vector<Hoist> hoists_of(const Record& record, const Estimates& estimates,
                             const CostTable& table) {
  return Search(record, estimates, table).all();
}

}  // namespace cuvette::tools
