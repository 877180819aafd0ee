// SPDX-License-Identifier: Apache-2.0
// For libraries that call the driver on behalf of a program, as libcudart does: they say where the
// program called them, so that reports name a line of the program and not one of the library.
//
//   const void* table;
//   if (cuGetExportTable(&table, &id) == CUDA_SUCCESS) {       // id: CUVETTE_CALL_SITE_TABLE
//     const void** slot = ((const cuvetteCallSiteTable*)table)->slot();
//     *slot = __builtin_return_address(0);
//     ... calls of the driver ...
//     *slot = NULL;
//   }
//
// Other drivers do not know the table and fail.
#ifndef CUVETTE_CALL_SITE_H_
#define CUVETTE_CALL_SITE_H_

#include <cuda.h>

// The bytes of the table's identifier.
#define CUVETTE_CALL_SITE_TABLE \
  { 0x63, 0x75, 0x76, 0x65, 0x74, 0x74, 0x65, 0x20, 0x63, 0x61, 0x6c, 0x6c, 0x73, 0x69, 0x74, 0x65 }

typedef struct cuvetteCallSiteTable_st {
  size_t size;  // bytes of this structure: later versions append to it
  // Returns the calling thread's slot, which lives as long as the thread. While it is not null,
  // reports name the call that returns to that address in place of the driver's own caller.
  const void** (*slot)(void);
  // Says that the call named in the slot is about to fail with `error`, and that the library keeps
  // the error for the calling thread, which may ask for it. `unseen`: the program does not receive
  // the call's result, as with <<<>>>.
  void (*failed)(int error, int unseen);
  // Says that the calling thread of the program has asked for what is kept.
  void (*asked)(void);
  // As `failed`, with the library's own name for the error, which lives on; NULL: it has none.
  void (*failed_as)(int error, int unseen, const char* name);
  // Says that the call named in the slot begins, in the function that calls this. Returns what
  // `end` takes at its end; NULL if it is not recorded. The functions are NULL where no call is.
  void* (*begin)(void);
  void (*end)(void* call, int result);
} cuvetteCallSiteTable;

#endif
