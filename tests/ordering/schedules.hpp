// SPDX-License-Identifier: Apache-2.0
// The schedules to try, in order, and the result of running a program under one of them.
#pragma once

#include <string>
#include <vector>

// Returns the schedules in the order in which they are tried: cheap ones that reveal much come
// first.
inline std::vector<std::string> schedules_to_try(int seeds) {
  // Lane 0 is the legacy stream of the first context; no program here has more than five lanes.
  std::vector<std::string> all{"lazy"};
  for (int lane = 0; lane < 5; ++lane) all.push_back("starve:" + std::to_string(lane));
  for (int one = 1; one <= 3; ++one)
    for (int other = 1; other <= 3; ++other)
      for (int number = 1; one != other && number <= 4; ++number)
        all.push_back("switch:" + std::to_string(one) + ":" + std::to_string(other) + ":" +
                      std::to_string(number));
  // The branches of graphs launched in lane 1.
  for (int branch = 1; branch <= 3; ++branch) all.push_back("starve:1/" + std::to_string(branch));
  for (int one = 1; one <= 3; ++one)
    for (int other = 1; other <= 3; ++other)
      for (int number = 1; one != other && number <= 2; ++number)
        all.push_back("switch:1/" + std::to_string(one) + ":1/" + std::to_string(other) + ":" +
                      std::to_string(number));
  for (int lane = 2; lane <= 3; ++lane)
    for (int number = 1; number <= 2; ++number)
      all.push_back("switch:" + std::to_string(lane) + ":1/1:" + std::to_string(number));
  for (int seed = 1; seed <= seeds; ++seed) all.push_back("random:" + std::to_string(seed));
  return all;
}

struct Outcome {
  int status;  // the exit status; from 1000 on: 1000 plus the signal that ended it
  std::string output;

  bool operator==(const Outcome&) const = default;
};

// Runs one form of a program in a process of its own.
Outcome run(const char* name, const char* form, const std::string& schedule);
// The same for several schedules, some of them at the same time.
std::vector<Outcome> run(const char* name, const char* form,
                         const std::vector<std::string>& schedules);
