// SPDX-License-Identifier: Apache-2.0
// For test runners that run several tests in one process, as pytest and GoogleTest do: they tell
// the driver where a test begins and ends, so that each report is one of the test that caused it.
//
//   const void* table;
//   if (cuGetExportTable(&table, &id) == CUDA_SUCCESS) {       // id: CUVETTE_TESTS_TABLE
//     const cuvetteTestsTable* tests = (const cuvetteTestsTable*)table;
//     tests->begin();
//     ... a test ...
//     tests->settle();                                         // now all its reports are written
//   }
//
// Other drivers do not know the table and fail.
#ifndef CUVETTE_TESTS_H_
#define CUVETTE_TESTS_H_

#include <cuda.h>

// The bytes of the table's identifier.
#define CUVETTE_TESTS_TABLE \
  { 0x63, 0x75, 0x76, 0x65, 0x74, 0x74, 0x65, 0x20, 0x74, 0x65, 0x73, 0x74, 0x73, 0x20, 0x30, 0x31 }

typedef struct cuvetteTestsTable_st {
  size_t size;  // bytes of this structure: later versions append to it
  // Says that a test begins: a mistake is reported once for each place in the program, and from now
  // on those are reported again that earlier tests have made. The exit status of the process
  // (CUVETTE_ERROR_EXITCODE) is decided by what is reported from now on; the runner has judged the
  // rest. Before cuInit it does nothing.
  void (*begin)(void);
  // Returns when all work that was submitted to any context is complete, and what it did reported.
  // The program has not waited for it: what it does next is checked as if this had not been called.
  void (*settle)(void);
  // Returns the error of a context that a command has broken, or CUDA_SUCCESS. Such a context fails
  // until it ends: all later tests that use it would fail, too.
  CUresult (*lost)(void);
  // Whether the process uses the driver: cuInit has succeeded, and this is no child made by fork().
  int (*used)(void);
} cuvetteTestsTable;

#endif
