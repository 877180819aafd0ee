// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events and host functions: they must run in an order that a simple
// model of CUDA's rules allows.
#include <cuda.h>

#include <map>
#include <random>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/order_model.hpp"

namespace {

class RandomProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgram, RunsInAnOrderThatTheModelAllows) {
  const Scene scene;
  using Kind = OrderModel::Kind;
  const CUstream streams[] = {nullptr,
                              new_stream(CU_STREAM_DEFAULT),
                              new_stream(CU_STREAM_DEFAULT),
                              CU_STREAM_PER_THREAD,
                              new_stream(),
                              new_stream()};
  OrderModel model({Kind::legacy, Kind::blocking, Kind::blocking, Kind::blocking,
                    Kind::non_blocking, Kind::non_blocking});
  CUevent events[4];
  for (CUevent& event : events) event = new_event();
  Log log;
  std::vector<int> noted;
  std::mt19937 random(GetParam());
  for (int step = 0; step < 300; ++step) {
    const size_t stream = random() % std::size(streams);
    const int event = static_cast<int>(random() % std::size(events));
    switch (random() % 4) {
      case 0:
        OK(cuEventRecord(events[event], streams[stream]));
        model.record(event, stream);
        break;
      case 1:
        OK(cuStreamWaitEvent(streams[stream], events[event], 0));
        model.wait(stream, event);
        break;
      default:
        noted.push_back(model.submit(stream));
        log.note(streams[stream], noted.back());
    }
    if (random() % 40 == 0) {
      OK(cuStreamSynchronize(streams[random() % std::size(streams)]));
    }
  }
  OK(cuCtxSynchronize());
  const std::vector<int> ran = log.entries();
  ASSERT_EQ(ran.size(), noted.size());
  std::map<int, size_t> place;
  for (size_t i = 0; i < ran.size(); ++i) place[ran[i]] = i;
  ASSERT_EQ(place.size(), noted.size()) << "each once";
  for (const int number : noted)
    for (const int earlier : model.before(number))
      if (place.contains(earlier)) {
        ASSERT_LT(place[earlier], place[number])
            << "command " << number << " ran before " << earlier;
      }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range(0u, 30u));

}  // namespace
