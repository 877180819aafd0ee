// SPDX-License-Identifier: Apache-2.0
// CUVETTE_ORDER_LOG_BYTES: the order log says what commands change.
#include <gtest/gtest.h>

#include "tests/tools/shell.hpp"

namespace {

// Returns the lines of the log that do not depend on addresses, with blanks for tabs.
Outcome log_of(const std::string& program, const std::string& options) {
  return shell("L=$(mktemp); $C run --quiet --order-log=$L " + options +
               " -- '" STEPPED_PROGRAM "' " + program +
               " >$L.out; tr '\\t' ' ' <$L | grep -E '^(memory|bytes|gave|ended|printed|freed) ' | "
               "sed -E 's/0x[0-9a-f]+ /ADDRESS /'; rm $L $L.out");
}

TEST(OrderLogBytes, SaysWhatCommandsChange) {
  const Outcome log = log_of("streams", "--order-log-bytes=8 --schedule=lazy");
  EXPECT_TRUE(has(log, "memory 1 device - ADDRESS 32 ")) << log.output;
  EXPECT_TRUE(has(log, " 0df0fd7f0df0fd7f\nmemory 2 ")) << log.output;
  EXPECT_TRUE(has(log, "bytes 1.1 1 0 07")) << log.output;
  EXPECT_TRUE(has(log, "ended 1.1\n")) << log.output;
  EXPECT_TRUE(has(log, "bytes 2.1 2 0 07")) << log.output;
  EXPECT_TRUE(has(log, "gave 0.1 ADDRESS 32 0700000007000000\n")) << log.output;
  // "submitted\n", although the C library had it in its buffer.
  EXPECT_TRUE(has(log, "printed 10\n")) << log.output;
}

TEST(OrderLogBytes, SaysWhichStepOfAGraphDidIt) {
  const Outcome log = log_of("graph", "--order-log-bytes=4 --schedule=eager");
  EXPECT_TRUE(has(log, "bytes 1.1.1 1 0 01")) << log.output;
  EXPECT_TRUE(has(log, "bytes 1.1.2 1 0 02\n")) << log.output;
  EXPECT_TRUE(has(log, "bytes 1.1.3 2 0 03")) << log.output;
}

TEST(OrderLogBytes, AreNotThereUnlessAskedForAndUnderASchedule) {
  EXPECT_EQ(log_of("streams", "--schedule=eager").output, "");
  EXPECT_EQ(log_of("streams", "--order-log-bytes=8").output, "");
}

}  // namespace
