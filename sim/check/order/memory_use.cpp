// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/memory_use.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/device/kernel/kernel_launch.hpp"

namespace cuvette::check {

Report report_of_use(ReportId id, const MemoryUser& user, const memory::Allocation& memory,
                     memory::DevicePtr address, const std::string& why) {
  const std::string what = device::describe(user.operation);
  return {id,
          with_capital(with_article(what)) + " uses " + name(memory) + " at " +
              hexadecimal(address) + ", " + why,
          {{"address", hexadecimal(address)},
           {"command", what},
           {"number", user.number},
           {"stream", stream_as_fact(user.stream)},
           {"submitted at", callsite::describe_call(user.operation.call_site)}}};
}

}  // namespace cuvette::check
