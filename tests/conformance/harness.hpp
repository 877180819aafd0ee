// SPDX-License-Identifier: Apache-2.0
// Conformance cases ask a driver questions and print one line for each answer:
//   case | question | answer
// They include only <cuda.h>, so that the same program can ask NVIDIA's driver, whose answers are
// in expected/. Each case runs in a process of its own, so that nothing of it is left for the next.
#pragma once

#include <cuda.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace conformance {

struct Case {
  const char* name;
  void (*ask)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline const char* running = "";

inline void say(const char* question, const char* answer) {
  printf("%s | %s | %s\n", running, question, answer);
  fflush(stdout);
}

inline void answer(const char* question, CUresult result) {
  const char* name = nullptr;
  say(question, cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "unknown");
}
inline void answer(const char* question, const char* text) { say(question, text); }
inline void answer(const char* question, bool value) { say(question, value ? "true" : "false"); }
template <typename Integer>
requires(!std::is_pointer_v<Integer>) void answer(const char* question, Integer value) {
  say(question, std::to_string(value).c_str());
}

// Ends the case if `call` has failed, since the questions need it.
inline void prepared(const char* call, CUresult result) {
  if (result == CUDA_SUCCESS) return;
  answer((std::string("cannot be asked: ") + call).c_str(), result);
  _exit(3);
}

inline int run(int count, char** names) {
  for (const Case& one : cases()) {
    bool wanted = count < 2;
    for (int i = 1; i < count; ++i) wanted |= strcmp(names[i], one.name) == 0;
    if (!wanted) continue;
    const pid_t child = fork();
    if (child == 0) {
      running = one.name;
      alarm(60);
      one.ask();
      fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("%s | ended | by signal %d\n", one.name, WTERMSIG(status));
    fflush(stdout);
  }
  return 0;
}

}  // namespace conformance

#define CASE(name)                                                                            \
  static void name();                                                                         \
  static const bool name##_is_a_case = (conformance::cases().push_back({#name, name}), true); \
  static void name()
// ASK prints the value of a call or expression; PREPARE makes a call that must succeed.
#define ASK(expression) conformance::answer(#expression, (expression))
#define PREPARE(call) conformance::prepared(#call, (call))
