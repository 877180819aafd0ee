// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_answer.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cuvette/source_lines.hpp"
#include "tools/cuvette/terminal.hpp"

namespace cuvette::tools {
namespace {

void print_lines(const char* before, const std::vector<std::string>& lines, size_t most) {
  for (size_t i = 0; i < lines.size() && i < most; ++i)
    printf("%s%s\n", before, with_source_lines(lines[i]).c_str());
  if (lines.size() > most) printf("%s... and %zu more\n", before, lines.size() - most);
}

std::string heading(Colour colour, bool has_colour) {
  return has_colour ? coloured(stdout, colour, "cuvette explore") : "cuvette explore";
}

// Returns in words when exploring was stopped.
std::string stop_of(const Answer& answer) {
  return answer.signal == 0 ? "the time of --time" : answer.stopped;
}

void print_output(const std::string& output) {
  constexpr size_t most = 20;
  std::vector<std::string> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const size_t begin = lines.size() > most ? lines.size() - most : 0;
  if (lines.empty()) return;
  printf("\nThe program said%s:\n", begin > 0 ? ", at last" : "");
  for (size_t i = begin; i < lines.size(); ++i) printf("  | %s\n", lines[i].c_str());
}

std::vector<std::string> with_lines(std::vector<std::string> sentences) {
  for (std::string& sentence : sentences) sentence = with_source_lines(sentence);
  return sentences;
}

// Returns the order with lines of source where its calls are.
Order with_lines(Order order) {
  for (Order::Queued& one : order.queued) one.call_site = with_source_lines(one.call_site);
  return order;
}

void print_differences(const RunResult& failure) {
  if (failure.differences.empty()) return;
  printf("\nCompared with the order of submission (eager):\n");
  print_lines("  ", failure.differences, 10);
}

void print_eager(const Answer& answer, bool has_colour) {
  printf("%s: the program fails in the order in which it submits its work (eager): %s.\n",
         heading(Colour::red, has_colour).c_str(), answer.failure.describe().c_str());
  if (answer.verdict == Verdict::not_reproducible)
    printf(
        "In %zu more runs of the same order it failed %s: not the order of its work alone "
        "decides, but its threads, the time or chance.\n",
        answer.more_runs,
        answer.failed_again == 0 ? "in none"
                                 : ("in " + std::to_string(answer.failed_again)).c_str());
  print_output(answer.failure.output);
  printf("\nRepeat it:\n  %s\n", answer.repeat.c_str());
}

void print_passed(const Answer& answer, bool has_colour) {
  if (answer.lanes == 0) {
    printf("cuvette explore: the program submits no work to a device; there is one order only.\n");
    return;
  }
  if (answer.stopped.empty())
    printf("%s: passed in all of %zu orders (%zu streams).\n",
           heading(Colour::green, has_colour).c_str(), answer.orders, answer.lanes);
  else
    printf("%s: passed in the %zu of %zu orders (%zu streams) that were run until %s.\n",
           heading(Colour::yellow, has_colour).c_str(), answer.run, answer.orders, answer.lanes,
           stop_of(answer).c_str());
  if (answer.one_order)
    printf(
        "All orders of its commands are the same: each pair that touches the same memory is "
        "ordered.\n");
  else if (answer.same > 0)
    printf("%zu more are the same as one of these.\n", answer.same);
  const auto& [schedule, differences] = answer.unlike;
  if (differences.empty()) return;
  printf("\nBut the host does not get the same in all of them. Unlike eager, in %s:\n",
         schedule.c_str());
  print_lines("  ", differences, 10);
  printf("With --differ such an order fails, and the answer says how to repeat it.\n");
}

void print_failure(const Answer& answer, bool has_colour) {
  printf("%s: fails in order %zu of %zu: %s.\n", heading(Colour::red, has_colour).c_str(),
         answer.place, answer.orders, answer.schedule.c_str());
  if (answer.differing.size() > 1) {
    printf("It differs in %zu of them:\n", answer.differing.size());
    std::vector<std::string> lines;
    for (const auto& [schedule, difference] : answer.differing)
      lines.push_back(schedule + ": " + difference);
    print_lines("  ", lines, 10);
  }
  if (answer.verdict == Verdict::not_reproducible) {
    printf("It did not fail again in %zu more runs: its threads decide, too.\n\nTry:\n  %s\n",
           answer.more_runs, answer.repeat.c_str());
    return;
  }
  printf("It fails by %s.\n", answer.failure.describe().c_str());
  print_differences(answer.failure);
  print_output(answer.failure.output);
  if (!answer.minimised && !answer.stopped.empty()) {
    printf("\nIt ended at %s, before the failure was made small.\n\nRepeat it:\n  %s\n",
           stop_of(answer).c_str(), answer.repeat.c_str());
    return;
  }
  if (!answer.minimised) {
    printf("\nIt did not fail with what is held back alone: its threads decide, too.\n");
    printf("\nTry:\n  %s\n", answer.repeat.c_str());
    return;
  }
  printf(
      "\nThe order of its commands (> is held back, until it is needed or for some steps%s):\n%s",
      answer.held.kernels.empty() ? "" : "; ^ runs its blocks and warps in another order",
      with_lines(answer.order).table(answer.held, 40).c_str());
  for (const uint64_t question : answer.held.yes)
    printf(
        "\nWhat may happen does, the %lluth time it may: a copy to pageable memory returns before "
        "it is done, say.\n",
        static_cast<unsigned long long>(question));
  printf("\nRepeat it:\n  %s\n", answer.repeat.c_str());
}

}  // namespace

void print_text(const Answer& answer, bool has_colour) {
  if (answer.verdict == Verdict::not_started) {
    fputs(answer.failure.output.c_str(), stderr);
    return;
  }
  if (answer.verdict == Verdict::unknown) {
    printf("%s: nothing is known: the first run had not ended at %s.\n",
           heading(Colour::yellow, has_colour).c_str(), stop_of(answer).c_str());
    return;
  }
  if (answer.schedule.empty()) {
    print_passed(answer, has_colour);
  } else if (answer.place == 1) {
    print_eager(answer, has_colour);
  } else {
    print_failure(answer, has_colour);
  }
  for (const std::string& note : answer.notes) printf("\n%s\n", note.c_str());
}

void print_json(const Answer& answer) {
  using Json = nlohmann::ordered_json;
  const auto verdict = [&] {
    switch (answer.verdict) {
      case Verdict::passed:
        return "passed";
      case Verdict::failed:
        return "failed";
      case Verdict::not_reproducible:
        return "not reproducible";
      case Verdict::unknown:
        return "unknown";
      case Verdict::not_started:
        break;
    }
    return "not started";
  };
  Json json;
  json["verdict"] = verdict();
  json["orders"] = answer.orders;
  json["orders run"] = answer.run;
  if (!answer.stopped.empty()) json["stopped by"] = answer.stopped;
  json["same orders left out"] = answer.same;
  json["all are the same"] = answer.one_order;
  json["lanes"] = answer.lanes;
  if (!answer.notes.empty()) json["notes"] = answer.notes;
  if (!answer.unlike.second.empty())
    json["unlike eager"] = {{"schedule", answer.unlike.first},
                            {"differences", with_lines(answer.unlike.second)}};
  if (!answer.outputs.empty()) {
    json["outputs are complete"] = answer.outputs_missing.empty();
    if (!answer.outputs_missing.empty()) json["why not"] = answer.outputs_missing;
    for (const auto& [schedule, output] : answer.outputs)
      json["outputs"].push_back({{"schedule", schedule}, {"output", output}});
  }
  if (!answer.schedule.empty()) {
    json["order"] = answer.place;
    json["schedule"] = answer.schedule;
    json["failure"] = answer.failure.describe();
    if (!answer.repeat.empty()) json["repeat"] = answer.repeat;
    for (const RunResult::Report& report : answer.failure.reports)
      json["reports"].push_back({{"report", report.identifier}, {"sentence", report.sentence}});
    if (!answer.failure.differences.empty())
      json["differences"] = with_lines(answer.failure.differences);
    for (const auto& [schedule, difference] : answer.differing)
      json["differing orders"].push_back(
          {{"schedule", schedule}, {"difference", with_source_lines(difference)}});
  }
  if (!answer.failure.output.empty()) json["output"] = answer.failure.output;
  if (answer.minimised) {
    json["decisions"] = answer.held.print();
    for (const Order::Row& row : with_lines(answer.order).rows(answer.held))
      json["commands"].push_back({{"command", row.name},
                                  {"what", row.kind},
                                  {"stream", row.stream},
                                  {"called at", row.call_site},
                                  {"began", row.began},
                                  {"held back", row.held},
                                  {"turned", row.turned}});
  }
  printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace cuvette::tools
