// SPDX-License-Identifier: Apache-2.0
// `cuvette trace` and `cuvette cost` of records that no process has written: each view of them is
// made, and the answer of `cost` as JSON can be read back.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/record_file.hpp"
#include "tools/cuvette/cost/result.hpp"
#include "tools/cuvette/cost/table.hpp"
#include "tools/cuvette/page/page.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/trace/trace.hpp"

using namespace cuvette::tools;

namespace {

const CostTable& table() {
  static const CostTable read = read_cost_table(COST_TABLE);
  return read;
}

void need(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void ask_for_costs(const Record& record) {
  const CostResult result = cost_of(record, table());
  const std::string json = cost_as_json(result);
  need(cost_as_json(cost_from_json(json, "answer")) == json, "JSON reads back as another answer");
  need(!cost_as_text(result, 0).empty(), "no text");
  need(!calls_as_csv(record, table()).empty(), "no table of calls");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Record record = record_of(made::files_of(data, size));
  ask_for_costs(record);
  if (record.processes.empty()) return 0;  // the command says so, and makes no view
  need(!page_of(record, "fuzz").empty(), "no page");
  for (const TraceTime time : {TraceTime::order, TraceTime::wall})
    need(!trace_of(record, time).bytes.empty(), "no trace");
  return 0;
}
