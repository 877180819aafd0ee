// SPDX-License-Identifier: Apache-2.0
// Modules and functions: good and bad images, variables and their values, attributes and the values
// they can be set to.
#include <sys/stat.h>

#include "modules.hpp"

namespace {

using namespace conformance;

CUresult load(const char* text) {
  CUmodule module = nullptr;
  const CUresult result = cuModuleLoadData(&module, text);
  if (result == CUDA_SUCCESS) cuModuleUnload(module);
  return result;
}

// The value of a variable of up to 8 bytes.
unsigned long long value_of(CUmodule module, const char* name) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  unsigned long long value = 0;
  if (cuModuleGetGlobal(&address, &bytes, module, name) || bytes > sizeof value) return ~0ull;
  if (cuMemcpyDtoH(&value, address, bytes)) return ~1ull;
  return value;
}
CUdeviceptr address_of(CUmodule module, const char* name) {
  CUdeviceptr address = 0;
  return cuModuleGetGlobal(&address, nullptr, module, name) ? 0 : address;
}

CASE(module_images) {
  start();
  CUmodule m = reinterpret_cast<CUmodule>(8);
  ASK(cuModuleLoadData(nullptr, program));
  ASK(cuModuleLoadData(&m, "bad"));
  ASK(m == nullptr);
  ASK(load(PTX_HEAD));
  ASK(load("\n\n  // a comment\n" PTX_HEAD));
  ASK(load(".target sm_80\n.address_size 64\n"));
  ASK(load(".version 7.8\n.address_size 64\n"));
  ASK(load(".version 7.8\n.target sm_80\n"));
  ASK(load(".version 7.8\n.target sm_80\n.address_size 32\n"));
  ASK(load(".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 8.0\n.target sm_80a\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 8.8\n.target sm_100f\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 9.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 9.9\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 3.0\n.target sm_20\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(".version 6.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }"));
  ASK(load(PTX_HEAD ".visible .entry k() { ret; "));
  ASK(load(PTX_HEAD ".visible .entry k() { bra nowhere; }"));
  ASK(load(PTX_HEAD ".visible .entry k() { ret; }\n.visible .entry k() { ret; }"));
  ASK(load(PTX_HEAD ".visible .global .u32 g;\n.visible .global .u32 g;"));
  ASK(load(PTX_HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }"));
  ASK(load(PTX_HEAD ".extern .func f();\n.visible .entry k() { ret; }"));
  ASK(load(PTX_HEAD
           ".extern .global .u32 g;\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, g; ret; }"));
  ASK(load(PTX_HEAD ".visible .global .u64 p = nowhere;"));
  ASK(load(PTX_HEAD ".visible .global .u32 g[2] = {1, 2, 3};"));
  ASK(load(PTX_HEAD ".visible .const .b8 c[65536];"));
  ASK(load(PTX_HEAD ".visible .const .b8 c[65537];"));
  ASK(load(PTX_HEAD ".visible .entry k() { .shared .b8 s[49152]; ret; }"));
  ASK(load(PTX_HEAD ".visible .entry k() { .shared .b8 s[49153]; ret; }"));
  ASK(load(PTX_HEAD ".visible .entry k(.param .b8 p[4352]) { ret; }"));
  ASK(load(PTX_HEAD ".visible .entry k(.param .b8 p[4353]) { ret; }"));
  ASK(cuModuleLoad(&m, nullptr));
  ASK(cuModuleLoad(nullptr, "/does/not/exist"));
  ASK(cuModuleLoad(&m, ""));
  ASK(cuModuleLoad(&m, "/"));
  ASK(cuModuleLoad(&m, "/dev/null"));
  ASK(cuModuleLoad(&m, "/etc/passwd"));
  const char* path = "/tmp/cuvette_conformance.ptx";
  FILE* file = fopen(path, "w");
  fputs(program, file);
  fclose(file);
  ASK(cuModuleLoad(&m, path));
  ASK(cuModuleUnload(m));
  unlink(path);
  ASK(cuModuleLoadFatBinary(nullptr, program));
  SURVIVE(cuModuleLoadFatBinary(&m, nullptr));
  SURVIVE(cuModuleLoadFatBinary(&m, program));
  CUmoduleLoadingMode mode{};
  ASK(cuModuleGetLoadingMode(&mode));
  ASK(static_cast<int>(mode));
  SURVIVE(cuModuleGetLoadingMode(nullptr));
}

// A PTX entry, and a container of such entries, in the fat binary format.
std::string entry(const std::string& text, unsigned sm, unsigned long long flags) {
  unsigned char head[80] = {};
  const auto put = [&](size_t at, unsigned long long value, size_t bytes) {
    memcpy(head + at, &value, bytes);
  };
  std::string payload = text;
  payload.push_back(0);
  while (payload.size() % 8) payload.push_back(0);
  put(0, 1, 2);
  put(2, 0x0101, 2);
  put(4, sizeof head, 4);
  put(8, payload.size(), 8);
  put(20, 64, 4);  // offset of the options
  put(24, 8, 2);
  put(26, 8, 2);
  put(28, sm, 4);
  put(40, flags | 0x11, 8);
  put(64, 72, 4);
  return std::string(reinterpret_cast<char*>(head), sizeof head) + payload;
}
std::string container(const std::string& entries) {
  std::string head(16, '\0');
  const unsigned magic = 0xBA55ED50;
  const unsigned short version = 1, bytes = 16;
  const unsigned long long size = entries.size();
  memcpy(head.data(), &magic, 4);
  memcpy(head.data() + 4, &version, 2);
  memcpy(head.data() + 6, &bytes, 2);
  memcpy(head.data() + 8, &size, 8);
  return head + entries;
}
std::string targeted(const char* target, const char* kernel) {
  return std::string(".version 8.8\n.target ") + target + "\n.address_size 64\n.visible .entry " +
         kernel + "() { ret; }\n";
}
// Returns the name of the only kernel in an image.
const char* only_kernel(const std::string& image) {
  static std::string name;
  CUmodule module;
  CUfunction function;
  const char* text = nullptr;
  if (CUresult result = cuModuleLoadData(&module, image.data()); result != CUDA_SUCCESS) {
    cuGetErrorName(result, &text);
    return text;
  }
  if (cuModuleEnumerateFunctions(&function, 1, module) || cuFuncGetName(&text, function))
    return "?";
  name = text;
  cuModuleUnload(module);
  return name.c_str();
}
#define ASK_TEXT(expression) conformance::say(#expression, expression)

CASE(module_fat_binaries) {
  start();
  constexpr unsigned long long a = 0x100000, f = 0x200000;
  const std::string k70 = entry(targeted("sm_70", "k70"), 70, 0),
                    k80 = entry(targeted("sm_80", "k80"), 80, 0),
                    k90 = entry(targeted("sm_90", "k90"), 90, 0),
                    k90a = entry(targeted("sm_90a", "k90a"), 90, a),
                    k80a = entry(targeted("sm_80", "k80a"), 80, a),
                    k100 = entry(targeted("sm_100", "k100"), 100, 0),
                    k100f = entry(targeted("sm_100f", "k100f"), 100, f);
  ASK_TEXT(only_kernel(container(k80)));
  ASK_TEXT(only_kernel(container(k70 + k80)));
  ASK_TEXT(only_kernel(container(k80 + k70)));
  ASK_TEXT(only_kernel(container(k80 + k90)));
  ASK_TEXT(only_kernel(container(k90 + k90a)));
  ASK_TEXT(only_kernel(container(k90a + k90)));
  ASK_TEXT(only_kernel(container(k80 + k80a)));
  ASK_TEXT(only_kernel(container(k80 + k100)));
  ASK_TEXT(only_kernel(container(k100)));
  ASK_TEXT(only_kernel(container(k100f)));
  ASK_TEXT(only_kernel(container("")));
  ASK_TEXT(only_kernel(container(k80) + container(k90)));
  struct {
    unsigned magic, version;
    const void* data;
    const void* more;
  } wrapper{0x466243B1, 1, nullptr, nullptr};
  const std::string image = container(k80);
  wrapper.data = image.data();
  CUmodule m = nullptr;
  ASK(cuModuleLoadData(&m, &wrapper));
  ASK(cuModuleLoadFatBinary(&m, &wrapper));
  ASK(cuModuleLoadFatBinary(&m, image.data()));
  wrapper.version = 7;
  ASK(cuModuleLoadFatBinary(&m, &wrapper));
  wrapper.version = 1;
  wrapper.data = nullptr;
  SURVIVE(cuModuleLoadFatBinary(&m, &wrapper));
}

CASE(module_bad_fat_binaries) {
  start();
  std::string image = container(entry(targeted("sm_80", "k80"), 80, 0));
  const auto with = [&](size_t at, unsigned char byte) {
    std::string changed = image;
    changed[at] = static_cast<char>(byte);
    return changed + std::string(4096, '\0');
  };
  ASK_TEXT(only_kernel(with(0, 0x51)));
  ASK_TEXT(only_kernel(with(4, 2)));
  ASK_TEXT(only_kernel(with(16, 2)));
  ASK_TEXT(only_kernel(with(16, 9)));
  ASK_TEXT(only_kernel(with(18, 9)));
  const unsigned char elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  ASK_TEXT(only_kernel(std::string(reinterpret_cast<const char*>(elf), sizeof elf) +
                       std::string(4096, '\0')));
}

CASE(module_variables) {
  start();
  CUmodule m;
  PREPARE(cuModuleLoadData(&m, program));
  CUdeviceptr d = 7, q = 0;
  size_t n = 7;
  ASK(cuModuleGetGlobal(&d, nullptr, m, "number"));
  ASK(cuModuleGetGlobal(nullptr, &n, m, "number"));
  ASK(n);
  ASK(cuModuleGetGlobal(&d, &n, m, nullptr));
  ASK(cuModuleGetGlobal(&d, &n, m, ""));
  ASK(cuModuleGetGlobal(&d, &n, m, "plain"));
  ASK(cuModuleGetGlobal(&d, &n, m, "seen"));
  d = 7;
  ASK(cuModuleGetGlobal(&d, &n, m, "nothing_of_this_name"));
  ASK(d);
  ASK(cuModuleGetGlobal(nullptr, nullptr, m, "nothing_of_this_name"));
  ASK(cuModuleGetGlobal(&d, &n, nullptr, "number"));
  ASK(cuModuleGetGlobal(&d, &n, m, "hidden"));
  ASK(n);
  ASK(cuModuleGetGlobal(&d, &n, m, "constants"));
  ASK(n);
  ASK(d % 16);
  ASK(cuModuleGetGlobal(&d, &n, m, "large"));
  ASK(n);
  ASK(d % 256);
  ASK(cuModuleGetGlobal(&d, &n, m, "grid"));
  ASK(n);
  unsigned short grid[6] = {};
  ASK(cuMemcpyDtoH(grid, d, sizeof grid));
  ASK(grid[3]);
  ASK(grid[5]);
  ASK(value_of(m, "number"));
  ASK(value_of(m, "float_of_bits"));
  ASK(value_of(m, "float_of_digits"));
  ASK(value_of(m, "text"));
  ASK(value_of(m, "address_of_number") == address_of(m, "number"));
  ASK(value_of(m, "generic_of_number") == address_of(m, "number"));
  ASK(value_of(m, "behind_number") == address_of(m, "number") + 4);
  ASK(value_of(m, "generic_of_constants") == address_of(m, "constants"));
  unsigned constants[4] = {9, 9, 9, 9};
  ASK(cuMemcpyDtoH(constants, address_of(m, "constants"), 16));
  ASK(constants[2]);
  ASK(constants[3]);
  constants[0] = 77;
  ASK(cuMemcpyHtoD(address_of(m, "constants"), constants, 16));
  ASK(value_of(m, "managed"));
  unsigned type = 0, managed = 0, ordinal = 9;
  ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address_of(m, "number")));
  ASK(type);
  ASK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address_of(m, "number")));
  ASK(managed & 1);
  ASK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address_of(m, "managed")));
  ASK(managed & 1);
  ASK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                            address_of(m, "number")));
  ASK(ordinal);
  unsigned capable = 9;
  ASK(cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                            address_of(m, "number")));
  ASK(capable & 1);
  ASK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address_of(m, "constants")));
  ASK(cuMemGetAddressRange(&q, &n, address_of(m, "large")));
  ASK(n >= 1000);
  ASK(cuMemFree(address_of(m, "number")));
  ASK(cuMemFree(address_of(m, "large")));
  ASK(cuMemFreeAsync(address_of(m, "large"), nullptr));
  ASK(cuMemFree(address_of(m, "managed")));
  ASK(value_of(m, "managed"));
  CUipcMemHandle ipc;
  ASK(cuIpcGetMemHandle(&ipc, address_of(m, "large")));
  const CUdeviceptr gone = address_of(m, "large");
  ASK(cuMemsetD8(gone, 1, 1000));
  ASK(cuModuleUnload(m));
  ASK(cuMemsetD8(gone, 1, 1000));
  SURVIVE(cuModuleUnload(m));
}

CASE(module_functions) {
  start();
  CUmodule m;
  PREPARE(cuModuleLoadData(&m, program));
  CUfunction f = nullptr, g = nullptr, all[16] = {};
  unsigned n = 99;
  ASK(cuModuleGetFunction(nullptr, m, "plain"));
  ASK(cuModuleGetFunction(&f, nullptr, "plain"));
  ASK(cuModuleGetFunction(&f, m, ""));
  ASK(cuModuleGetFunction(&f, m, "seen"));
  ASK(cuModuleGetFunction(&f, m, "twice"));
  ASK(cuModuleGetFunction(&f, m, "number"));
  ASK(cuModuleGetFunction(&f, m, "not_visible"));
  ASK(cuModuleGetFunction(&f, m, "plain"));
  ASK(cuModuleGetFunction(&g, m, "plain"));
  ASK(f == g);
  ASK(cuModuleGetFunctionCount(nullptr, m));
  ASK(cuModuleGetFunctionCount(&n, nullptr));
  ASK(cuModuleGetFunctionCount(&n, m));
  ASK(n);
  ASK(cuModuleEnumerateFunctions(nullptr, 1, m));
  ASK(cuModuleEnumerateFunctions(all, 0, m));
  ASK(cuModuleEnumerateFunctions(all, 1, nullptr));
  ASK(cuModuleEnumerateFunctions(all, 2, m));
  ASK(all[1] != nullptr);
  ASK(all[2] != nullptr);
  ASK(cuModuleEnumerateFunctions(all, 16, m));
  ASK(all[n] != nullptr);
  bool found = false;
  for (CUfunction one : all) found = found || one == f;
  ASK(found);
  CUmodule of = nullptr;
  const char* name = nullptr;
  ASK(cuFuncGetModule(&of, f));
  ASK(of == m);
  ASK(cuFuncGetModule(nullptr, f));
  ASK(cuFuncGetModule(&of, nullptr));
  ASK(cuFuncGetName(nullptr, f));
  ASK(cuFuncGetName(&name, nullptr));
  size_t offset = 0, size = 0;
  for (unsigned i = 0; i < 5; ++i) {
    ASK(cuFuncGetParamInfo(f, i, &offset, &size));
    ASK(offset);
    ASK(size);
  }
  ASK(cuFuncGetParamInfo(f, 0, nullptr, &size));
  ASK(cuFuncGetParamInfo(f, 0, &offset, nullptr));
  ASK(cuFuncGetParamInfo(nullptr, 0, &offset, &size));
  PREPARE(cuModuleGetFunction(&g, m, "nothing"));
  ASK(cuFuncGetParamInfo(g, 0, &offset, &size));
  CUfunctionLoadingState state{};
  ASK(cuFuncIsLoaded(nullptr, g));
  ASK(cuFuncIsLoaded(&state, nullptr));
  ASK(cuFuncIsLoaded(&state, g));
  ASK(static_cast<int>(state));
  ASK(cuFuncLoad(nullptr));
  ASK(cuFuncLoad(g));
  ASK(cuFuncIsLoaded(&state, g));
  ASK(static_cast<int>(state));
  for (int config = -1; config < 6; ++config)
    ASK(cuFuncSetCacheConfig(f, static_cast<CUfunc_cache>(config)));
  for (int config = -1; config < 4; ++config)
    ASK(cuFuncSetSharedMemConfig(f, static_cast<CUsharedconfig>(config)));
  ASK(cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1));
  CUtexref t;
  CUsurfref s;
  ASK(cuModuleGetTexRef(&t, m, "number"));
  ASK(cuModuleGetTexRef(&t, m, "none"));
  ASK(cuModuleGetTexRef(nullptr, m, "none"));
  ASK(cuModuleGetTexRef(&t, m, nullptr));
  ASK(cuModuleGetTexRef(&t, nullptr, "none"));
  ASK(cuModuleGetSurfRef(&s, m, "none"));
  ASK(cuModuleGetSurfRef(nullptr, m, "none"));
  ASK(cuModuleGetSurfRef(&s, m, nullptr));
  ASK(cuModuleGetSurfRef(&s, nullptr, "none"));
  PREPARE(cuModuleUnload(m));
  SURVIVE(cuModuleGetFunction(&f, m, "plain"));
  SURVIVE(cuFuncGetName(&name, g));
}

void attributes(CUmodule m, const char* kernel) {
  CUfunction f;
  PREPARE(cuModuleGetFunction(&f, m, kernel));
  for (int i = -1; i < 18; ++i) {
    if (i == CU_FUNC_ATTRIBUTE_NUM_REGS || i == CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES ||
        i == CU_FUNC_ATTRIBUTE_BINARY_VERSION)
      continue;
    int value = 12345;
    const std::string question = std::string(kernel) + ", attribute " + std::to_string(i);
    answer(question.c_str(), cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(i), f));
    answer((question + ": value").c_str(), value);
  }
}

CASE(function_attributes) {
  start();
  CUmodule m, c;
  PREPARE(cuModuleLoadData(&m, program));
  PREPARE(cuModuleLoadData(&c, clusters));
  attributes(m, "plain");
  attributes(m, "shares");
  attributes(m, "bounded");
  attributes(m, "required");
  attributes(c, "clustered");
  attributes(c, "single");
  CUfunction f;
  PREPARE(cuModuleGetFunction(&f, m, "plain"));
  int value = 0;
  ASK(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  ASK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, nullptr));
  ASK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, f));
  ASK(value);
  ASK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, f));
  ASK(value);
}

void set(CUfunction f, const char* kernel, CUfunction_attribute attribute,
         const std::vector<int>& values) {
  for (int given : values) {
    int value = 12345;
    const std::string question = std::string(kernel) + ", attribute " + std::to_string(attribute) +
                                 " set to " + std::to_string(given);
    answer(question.c_str(), cuFuncSetAttribute(f, attribute, given));
    cuFuncGetAttribute(&value, attribute, f);
    answer((question + ": value").c_str(), value);
  }
}

CASE(function_settings) {
  start();
  CUmodule m, c;
  PREPARE(cuModuleLoadData(&m, program));
  PREPARE(cuModuleLoadData(&c, clusters));
  CUfunction plain, shares, clustered, single;
  PREPARE(cuModuleGetFunction(&plain, m, "plain"));
  PREPARE(cuModuleGetFunction(&shares, m, "shares"));
  PREPARE(cuModuleGetFunction(&clustered, c, "clustered"));
  PREPARE(cuModuleGetFunction(&single, c, "single"));
  for (int i = 0; i < 8; ++i)
    if (i != CU_FUNC_ATTRIBUTE_NUM_REGS)
      set(plain, "plain", static_cast<CUfunction_attribute>(i), {0, 1});
  set(plain, "plain", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
      {-1, 0, 1, 49152, 49153, 65536, 101376, 232448, 232449, 100});
  set(shares, "shares", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
      {48128, 49152, 231424, 231425, 232448});
  set(plain, "plain", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      {-2, 0, 50, 100, 101, -1});
  const struct {
    CUfunction f;
    const char* name;
  } kernels[] = {{plain, "plain"}, {single, "single"}, {clustered, "clustered"}};
  for (const auto& kernel : kernels) {
    set(kernel.f, kernel.name, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, {0, 1});
    set(kernel.f, kernel.name, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, {1, 0, 2, -1});
    set(kernel.f, kernel.name, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
        {0, 1, 2, 3, -1});
    set(kernel.f, kernel.name, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
        {-1, 0, 1, 2, 8, 9, 16, 17, 4});
    set(kernel.f, kernel.name, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, {0, 2, 4, 8, 100000});
    set(kernel.f, kernel.name, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, {0, 1, 2});
    int value = 0;
    ASK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, kernel.f));
    ASK(value);
  }
  ASK(cuFuncSetAttribute(nullptr, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0));
  SURVIVE(cuFuncSetAttribute(plain, static_cast<CUfunction_attribute>(16), 0));
  SURVIVE(cuFuncSetAttribute(plain, static_cast<CUfunction_attribute>(-1), 0));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
