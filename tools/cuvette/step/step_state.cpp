// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/step_state.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>
namespace cuvette::tools {
namespace {

// Allocations that are shown without a watch, and their values.
constexpr size_t most_unasked = 6, unasked_values = 8;

// Whether a work is over, as far as others that wait for it are concerned.
bool is_over(const History& history, size_t position, size_t work) {
  const RunLog::Work& one = history.works()[work];
  // The end of a graph's step is only said when the next one begins.
  return one.ended < history.line_at(position) ||
         (one.name.step != 0 && history.last(position) == &one);
}

// --- Streams -------------------------------------------------------------------------------------

std::string waited_for(const History& history, size_t position, size_t work) {
  std::string text;
  for (const History::Reason& reason : history.reasons(work)) {
    if (reason.why == History::Reason::Why::launch || is_over(history, position, reason.work))
      continue;
    if (!text.empty()) text += ", ";
    text += text_of(history.works()[reason.work].name) + " (" + word_for(reason.why) + ")";
  }
  return text.empty() ? "an earlier step of its graph" : text;
}

StepState::Item item_of(const History& history, size_t position, size_t work) {
  const RunLog::Work& one = history.works()[work];
  StepState::Item item{one.name, one.kind, one.call_site, work_state(history, position, work), ""};
  if (item.state == WorkState::waiting) item.waits_for = waited_for(history, position, work);
  return item;
}

std::vector<StepState::Row> rows_at(const History& history, size_t position) {
  using Key = std::tuple<uint32_t, uint64_t, uint32_t>;  // lane, launch, branch
  std::map<Key, StepState::Row> rows;
  for (size_t i = 0; i < history.works().size(); ++i) {
    const RunLog::Work& work = history.works()[i];
    if (work_state(history, position, i) == WorkState::not_submitted) continue;
    Key key{work.name.lane, 0, 0};
    if (work.name.step != 0) {
      // The steps of a launch that is over are part of it.
      const RunLog::Work* const launch = history.log().find({work.name.lane, work.name.number, 0});
      if (launch && launch->ended <= history.line_at(position)) continue;
      key = {work.name.lane, work.name.number, work.branch};
    }
    StepState::Row& row = rows[key];
    if (row.items.empty()) {
      row.title = "stream " + std::to_string(work.name.lane);
      row.detail = work.stream;
      if (work.name.step != 0) {
        row.title = "graph " + text_of({work.name.lane, work.name.number, 0});
        row.detail = "branch " + std::to_string(work.branch);
      }
    }
    row.items.push_back(item_of(history, position, i));
  }
  std::vector<StepState::Row> all;
  for (auto& [key, row] : rows) all.push_back(std::move(row));
  return all;
}

// --- The program ---------------------------------------------------------------------------------

std::string call_text(const Record::Call& call) {
  return call.function + (call.call_site.empty() ? "" : ", called at " + call.call_site);
}

std::vector<std::string> program_at(const History& history, size_t position) {
  const Record& record = history.record();
  const uint64_t time = history.time_at(position);
  // The outermost call that each thread is in, and the last that it has left.
  std::map<uint32_t, std::pair<const Record::Call*, const Record::Call*>> threads;
  for (const Record::Call& call : record.calls) {
    if (call.began > time) break;
    if (call.function.starts_with("__cudaUnregister")) continue;  // the compiler's, at the very end
    auto& [inside, left] = threads[call.thread];
    if (call.ended > time || (call.ended == Record::open && time == UINT64_MAX)) {
      if (!inside) inside = &call;
    } else if (!left || left->ended <= call.began) {
      left = &call;  // not one inside it
    }
  }
  std::vector<std::string> lines;
  for (const auto& [thread, calls] : threads) {
    const auto& [inside, left] = calls;
    const std::string who =
        threads.size() == 1 ? "" : "thread " + std::to_string(lines.size() + 1) + " ";
    if (inside)
      lines.push_back(who + "is in " + call_text(*inside));
    else if (left)
      lines.push_back(who + "has returned from " + call_text(*left));
  }
  if (lines.empty()) lines.push_back("has made no call of CUDA");
  return lines;
}

// --- Memory --------------------------------------------------------------------------------------

struct Content {
  std::string now, before;  // before the last step
};

Content content_at(const History& history, size_t position, const RunLog::Memory& memory) {
  const size_t line = history.line_at(position);
  const RunLog::Work* const last = history.last(position);
  Content content{memory.bytes, memory.bytes};
  for (const RunLog::Change& change : history.log().changes) {
    if (change.line >= line) break;
    if (change.memory != memory.number || change.offset + change.bytes.size() > memory.bytes.size())
      continue;
    content.now.replace(change.offset, change.bytes.size(), change.bytes);
    // What the program has changed is older than what the last step has.
    if (last && change.by == last->name) continue;
    content.before.replace(change.offset, change.bytes.size(), change.bytes);
  }
  return content;
}

std::vector<std::string> contents_of(const History& history, const RunLog::Memory& memory) {
  std::vector<std::string> contents = {memory.bytes};
  for (const RunLog::Change& change : history.log().changes)
    if (change.memory == memory.number && change.offset % 4 == 0) contents.push_back(change.bytes);
  return contents;
}

void add_values(StepState::Shown& shown, const Content& content, uint64_t offset, ValueType type,
                size_t count) {
  shown.type = word_for(type);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = offset + i * size_of(type);
    if (at >= content.now.size()) break;
    shown.values.push_back(value_at(content.now, at, type));
    const bool changed =
        content.now.compare(at, size_of(type), content.before, at, size_of(type)) != 0;
    shown.changed.push_back(changed);
    shown.was.push_back(changed ? value_at(content.before, at, type) : "");
  }
}

std::string size_text(uint64_t bytes) {
  char text[40];
  const double size = static_cast<double>(bytes);
  if (bytes < 1024 || bytes % 1024 != 0)
    snprintf(text, sizeof text, "%llu B", static_cast<unsigned long long>(bytes));
  else if (bytes < 1024 * 1024)
    snprintf(text, sizeof text, "%.4g KiB", size / 1024);
  else
    snprintf(text, sizeof text, "%.4g MiB", size / (1024 * 1024));
  return text;
}

StepState::Shown shown_memory(const History& history, size_t position, const RunLog::Memory& memory,
                              const Watch& watch) {
  StepState::Shown shown;
  const std::string& name = watch.name.empty() ? memory.name : watch.name;
  shown.title = std::to_string(memory.number) + (name.empty() ? "" : " " + name);
  if (watch.offset != 0) shown.title += "+" + std::to_string(watch.offset);
  shown.detail = memory.kind + " memory, " + size_text(memory.size);
  if (memory.name.empty() && !memory.call_site.empty() && memory.call_site != "unknown")
    shown.detail += ", allocated at " + memory.call_site;
  const ValueType type = watch.type ? *watch.type : guessed_type(contents_of(history, memory));
  add_values(shown, content_at(history, position, memory), watch.offset, type, watch.count);
  return shown;
}

void add_memory(StepState& state, const History& history, const std::vector<Watch>& watches) {
  const size_t line = history.line_at(state.position);
  const auto is_there = [&](const RunLog::Memory& memory) {
    return memory.made < line && memory.freed >= line;
  };
  std::vector<const RunLog::Memory*> there;
  for (const RunLog::Memory& memory : history.log().memories)
    if (is_there(memory)) there.push_back(&memory);
  for (const Watch& watch : watches)
    for (const RunLog::Memory* memory : there)
      if (watch.names(*memory))
        state.memory.push_back(shown_memory(history, state.position, *memory, watch));
  if (!watches.empty()) return;
  for (const RunLog::Memory* memory : there) {
    if (state.memory.size() == most_unasked) {
      state.notes.push_back(std::to_string(there.size() - most_unasked) +
                            " more allocations are not shown; `watch` chooses");
      break;
    }
    Watch watch;
    watch.count = unasked_values;
    state.memory.push_back(shown_memory(history, state.position, *memory, watch));
  }
}

// The last copies to memory of the program, one for each address.
void add_gifts(StepState& state, const History& history) {
  const size_t line = history.line_at(state.position);
  const RunLog::Work* const last = history.last(state.position);
  std::map<uint64_t, std::pair<const RunLog::Gift*, const RunLog::Gift*>> given;  // and before
  for (const RunLog::Gift& gift : history.log().gifts) {
    if (gift.line >= line) break;
    auto& [now, before] = given[gift.address];
    before = std::exchange(now, &gift);
  }
  size_t places = 0;
  for (const auto& [address, gifts] : given) {
    const auto& [gift, before] = gifts;
    StepState::Shown shown;
    shown.title = "host " + std::string(1, static_cast<char>('a' + places++ % 26));
    shown.detail = "memory of the program: copy " + text_of(gift->by) + " wrote " +
                   size_text(gift->size) + " there";
    const size_t size = std::min(gift->bytes.size(), unasked_values * 4);
    const bool is_news = last && last->name == gift->by;
    Content content{gift->bytes.substr(0, size), gift->bytes.substr(0, size)};
    if (is_news) content.before = before ? before->bytes : std::string(size, '\0');
    content.before.resize(size);
    add_values(shown, content, 0, guessed_type({content.now}), unasked_values);
    if (is_news && !before) {
      shown.changed.assign(shown.values.size(), true);
      shown.was.assign(shown.values.size(), "");  // it is not known
    }
    state.memory.push_back(std::move(shown));
  }
}

std::string last_lines(const std::string& text) {
  constexpr size_t most = 8;
  size_t begin = text.size();
  for (size_t lines = 0; begin > 0; --begin)
    if (text[begin - 1] == '\n' && begin != text.size() && ++lines == most) break;
  return text.substr(begin);
}

}  // namespace

const char* word_for(WorkState state) {
  switch (state) {
    case WorkState::done:
      return "done";
    case WorkState::running:
      return "running";
    case WorkState::ready:
      return "ready";
    case WorkState::waiting:
      return "waits";
    case WorkState::not_submitted:
      break;
  }
  return "not submitted";
}

const char* word_for(History::Reason::Why why) {
  switch (why) {
    case History::Reason::Why::same_stream:
      return "same stream";
    case History::Reason::Why::event:
      return "event";
    case History::Reason::Why::legacy_stream:
      return "legacy stream";
    case History::Reason::Why::semaphore:
      return "semaphore";
    case History::Reason::Why::graph:
      return "graph";
    case History::Reason::Why::launch:
      return "launch of its graph";
    case History::Reason::Why::other:
      break;
  }
  return "an order of its streams";
}

std::string title_of(const RunLog::Work& work) {
  return text_of(work.name) + " (" + work.kind + ")";
}

WorkState work_state(const History& history, size_t position, size_t work) {
  const RunLog::Work& one = history.works()[work];
  const size_t line = history.line_at(position);
  if (one.queued >= line) return WorkState::not_submitted;
  if (is_over(history, position, work)) return WorkState::done;
  if (one.began < line) return WorkState::running;
  if (one.name.step != 0) return one.possible < line ? WorkState::ready : WorkState::waiting;
  for (const History::Reason& reason : history.reasons(work))
    if (!is_over(history, position, reason.work)) return WorkState::waiting;
  return WorkState::ready;
}

const StepState::Item* StepState::find(const WorkName& name) const {
  for (const Row& row : rows)
    for (const Item& item : row.items)
      if (item.name == name) return &item;
  return nullptr;
}

StepState state_at(const History& history, size_t position, const std::vector<Watch>& watches) {
  StepState state;
  state.position = position;
  state.steps = history.steps();
  if (const RunLog::Work* const work = history.last(position)) state.last = title_of(*work);
  if (const RunLog::Work* const work = history.next(position)) state.next = work->name;
  state.rows = rows_at(history, position);
  state.program = program_at(history, position);
  add_memory(state, history, watches);
  add_gifts(state, history);
  const uint64_t time = history.time_at(position);
  for (const Record::Report& report : history.record().reports)
    if (report.time < time) state.reports.emplace_back(report.identifier, report.message);
  const size_t line = history.line_at(position);
  size_t printed = 0;
  for (const RunLog::Printed& one : history.log().printed)
    if (one.line < line) printed = static_cast<size_t>(one.bytes);
  state.output = history.end().output.substr(0, state.next ? printed : std::string::npos);
  if (!state.next) {
    state.end = history.end().text;
    // Reports are printed there, too, and they are shown already.
    if (state.reports.empty()) state.errors = last_lines(history.end().errors);
  }
  if (history.end().processes > 1)
    state.notes.push_back(std::to_string(history.end().processes) +
                          " processes used devices; only the one with the most commands is shown");
  return state;
}

}  // namespace cuvette::tools
