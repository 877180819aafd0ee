// SPDX-License-Identifier: Apache-2.0
// `api_programs NAME wrong|repaired` runs one of the programs in api.def.
#include <cstring>

#include "tests/wrong/api/api.hpp"

int main(int argc, char** argv) {
  if (argc == 3) {
    const Twin twin = strcmp(argv[2], "wrong") == 0 ? Twin::wrong : Twin::repaired;
#define API(name, report) \
  if (strcmp(argv[1], #name) == 0) return name(twin), 0;
#include "tests/wrong/api/api.def"
#undef API
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}

Aliases::Aliases() {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  NEED(cuMemCreate(&memory, granule, &prop, 0));
  NEED(cuMemAddressReserve(&at, 2 * granule, 0, 0, 0));
  NEED(cuMemMap(at, granule, 0, memory, 0));
  NEED(cuMemMap(at + granule, granule, 0, memory, 0));
  const CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  NEED(cuMemSetAccess(at, 2 * granule, &access, 1));
}

void Aliases::end() {
  NEED(cuMemUnmap(at, 2 * granule));
  NEED(cuMemAddressFree(at, 2 * granule));
  NEED(cuMemRelease(memory));
}
