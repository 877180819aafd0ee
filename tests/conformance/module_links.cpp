// SPDX-License-Identifier: Apache-2.0
// Linking: which symbols resolve, which clash, and what the linker returns.
#include "modules.hpp"

namespace {

using namespace conformance;

char error_log[8192];

CUlinkState create() {
  CUlinkState state = nullptr;
  static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  static void* values[2];
  values[0] = error_log;
  values[1] = reinterpret_cast<void*>(sizeof error_log);
  error_log[0] = 0;
  PREPARE(cuLinkCreate(2, options, values, &state));
  return state;
}
CUresult add(CUlinkState state, const std::string& text) {
  return cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()), text.size() + 1,
                       "one", 0, nullptr, nullptr);
}
// Links `texts`; prints how far that came and what the image contains.
void link(const char* question, const std::vector<std::string>& texts, const char* symbol) {
  const CUlinkState state = create();
  CUresult result = CUDA_SUCCESS;
  for (const std::string& text : texts) {
    result = add(state, PTX_HEAD + text);
    answer((std::string(question) + ": add").c_str(), result);
    if (result != CUDA_SUCCESS) break;
  }
  void* image = nullptr;
  size_t size = 0;
  if (result == CUDA_SUCCESS) {
    result = cuLinkComplete(state, &image, &size);
    answer((std::string(question) + ": complete").c_str(), result);
  }
  if (result == CUDA_SUCCESS) {
    CUmodule m = nullptr;
    answer((std::string(question) + ": load").c_str(), cuModuleLoadData(&m, image));
    CUdeviceptr address;
    size_t bytes = 0;
    unsigned long long value = 0;
    if (m && symbol) {
      answer((std::string(question) + ": find").c_str(),
             cuModuleGetGlobal(&address, &bytes, m, symbol));
      if (bytes && bytes <= 8) {
        cuMemcpyDtoH(&value, address, bytes);
        answer((std::string(question) + ": value").c_str(), value);
      }
    }
  } else if (symbol) {
    answer((std::string(question) + ": the log names it").c_str(),
           strstr(error_log, symbol) != nullptr);
    fprintf(stderr, "%s: <%s>\n", question, error_log);
  }
  cuLinkDestroy(state);
}

CASE(link_symbols) {
  start();
  const std::string uses = ".extern .func helper();\n.visible .entry k() { call helper; ret; }\n";
  const std::string helps = ".visible .func helper() { ret; }\n";
  link("function", {uses, helps}, nullptr);
  link("function, other order", {helps, uses}, nullptr);
  link("undefined function", {uses}, "helper");
  link("undefined and not used", {".extern .func helper();\n.visible .entry k() { ret; }\n"},
       "helper");
  link("function twice", {uses, helps, helps}, "helper");
  link("function hidden", {uses, ".func helper() { ret; }\n"}, "helper");
  link("hidden twice",
       {".func helper() { ret; }\n.visible .entry a() { call helper; ret; }\n",
        ".func helper() { ret; }\n.visible .entry b() { call helper; ret; }\n"},
       nullptr);
  link("weak function twice",
       {uses, ".weak .func helper() { ret; }\n", ".weak .func helper() { ret; }\n"}, nullptr);
  link("weak and strong function", {uses, ".weak .func helper() { ret; }\n", helps}, nullptr);
  link("kernel twice", {".visible .entry k() { ret; }\n", ".visible .entry k() { ret; }\n"}, "k");
  link("kernel weak twice", {".weak .entry k() { ret; }\n", ".weak .entry k() { ret; }\n"},
       nullptr);
  link("wrong parameters",
       {".extern .func helper(.param .b32 a);\n.visible .entry k() { .param .b32 a; call helper, "
        "(a); ret; }\n",
        helps},
       "helper");
  const std::string extern_variable =
      ".extern .global .align 4 .u32 v;\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, v; ret; "
      "}\n";
  link("variable", {extern_variable, ".visible .global .align 4 .u32 v = 5;\n"}, "v");
  link("undefined variable", {extern_variable}, "v");
  link("variable twice",
       {".visible .global .align 4 .u32 v = 5;\n", ".visible .global .align 4 .u32 v = 6;\n"}, "v");
  link("variable hidden twice",
       {".global .align 4 .u32 v = 5;\n.visible .entry a() { ret; }\n",
        ".global .align 4 .u32 v = 6;\n.visible .entry b() { ret; }\n"},
       nullptr);
  link("variable weak and strong",
       {".weak .global .align 4 .u32 v = 5;\n", ".visible .global .align 4 .u32 v = 6;\n"}, "v");
  link("variable weak twice",
       {".weak .global .align 4 .u32 v = 5;\n", ".weak .global .align 4 .u32 v = 6;\n"}, "v");
  link("common twice", {".common .global .align 4 .u32 v;\n", ".common .global .align 4 .u32 v;\n"},
       "v");
  link("common of two sizes",
       {".common .global .align 4 .b8 v[4];\n", ".common .global .align 4 .b8 v[8];\n"}, "v");
  link("common and strong",
       {".common .global .align 4 .u32 v;\n", ".visible .global .align 4 .u32 v = 6;\n"}, "v");
  link("variable of another size",
       {".extern .global .align 4 .b8 v[4];\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, v; "
        "ret; }\n",
        ".visible .global .align 4 .b8 v[8];\n"},
       "v");
  link("variable of another space",
       {".extern .const .align 4 .u32 v;\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, v; ret; "
        "}\n",
        ".visible .global .align 4 .u32 v = 5;\n"},
       "v");
  link("address of another's",
       {".extern .global .align 4 .u32 v;\n.visible .global .align 8 .u64 p = generic(v);\n",
        ".visible .global .align 4 .u32 v = 5;\n"},
       "v");
  link("variable and function",
       {".visible .global .align 4 .u32 s;\n", ".visible .func s() { ret; }\n"}, "s");
  link("wrong PTX", {".visible .entry k() { addd; }\n"}, "addd");
}

CASE(link_calls) {
  start();
  CUlinkState state = create();
  void* image = nullptr;
  size_t size = 0;
  std::string text = program;
  ASK(cuLinkCreate(0, nullptr, nullptr, nullptr));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, nullptr, 0, "one", 0, nullptr, nullptr));
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, text.data(), 0, "one", 0, nullptr, nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, text.data(), text.size() + 1, "one", 0, nullptr,
                    nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, text.data(), text.size() + 1, "one", 0, nullptr,
                    nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, CU_JIT_INPUT_OBJECT, text.data(), text.size() + 1, "one", 0, nullptr,
                    nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, text.data(), text.size() + 1, "one", 0, nullptr,
                    nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, CU_JIT_INPUT_NVVM, text.data(), text.size() + 1, "one", 0, nullptr,
                    nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, static_cast<CUjitInputType>(77), text.data(), text.size() + 1, "one", 0,
                    nullptr, nullptr));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/does/not/exist", 0, nullptr, nullptr));
  ASK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, nullptr, 0, nullptr, nullptr));
  const char* path = "/tmp/cuvette_conformance_link.ptx";
  FILE* file = fopen(path, "w");
  fputs(program, file);
  fclose(file);
  ASK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, path, 0, nullptr, nullptr));
  unlink(path);
  ASK(cuLinkComplete(state, nullptr, &size));
  cuLinkDestroy(state);
  state = create();
  ASK(cuLinkAddData(state, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, nullptr, 0, nullptr,
                    nullptr));
  ASK(cuLinkComplete(state, &image, nullptr));
  ASK(cuLinkComplete(state, &image, &size));
  ASK(image != nullptr);
  ASK(size > 0);
  ASK(add(state, PTX_HEAD ".visible .entry other() { ret; }\n"));
  ASK(cuLinkComplete(state, &image, &size));
  CUmodule m;
  unsigned n = 0;
  ASK(cuModuleLoadData(&m, image));
  ASK(cuModuleGetFunctionCount(&n, m));
  ASK(n);
  ASK(cuLinkDestroy(state));
  ASK(cuModuleGetFunctionCount(&n, m));
  state = create();
  ASK(cuLinkComplete(state, &image, &size));
  cuLinkDestroy(state);
  state = create();
  ASK(add(state, wrong_body));
  ASK(strstr(error_log, "line 6") != nullptr);
  ASK(add(state, program));
  ASK(cuLinkComplete(state, &image, &size));
  cuLinkDestroy(state);
  ASK(cuLinkCreate(0, nullptr, nullptr, &state));
  ASK(add(state, program));
  ASK(cuLinkDestroy(state));
  ASK(cuLinkDestroy(nullptr));
  ASK(cuLinkComplete(nullptr, &image, &size));
  ASK(add(nullptr, program));
  CUjit_option option = static_cast<CUjit_option>(1000);
  void* value = nullptr;
  ASK(cuLinkCreate(1, &option, &value, &state));
  option = CU_JIT_TARGET;
  value = reinterpret_cast<void*>(static_cast<size_t>(75));
  ASK(cuLinkCreate(1, &option, &value, &state));
  ASK(add(state, program));
  cuLinkDestroy(state);
}

}  // namespace
