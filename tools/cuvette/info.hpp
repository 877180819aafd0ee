// SPDX-License-Identifier: Apache-2.0
// `cuvette info`: what the devices of Cuvette's libcuda.so.1 say of themselves.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

struct InfoOptions {
  std::vector<std::pair<std::string, std::string>> environment;  // variable, value
  bool json = false;
  bool ctest_resources = false;  // print only the file for `ctest --resource-spec-file`
};

// Loads the library as a program would and prints what it answers. Returns the exit status.
int info(const InfoOptions& options);

// Prints the GPUs that CUVETTE_DEVICE can name.
int list_profiles(bool json);

// Says what is wrong with `key` as a value of CUVETTE_DEVICE; empty if nothing is.
std::string profile_complaint(const std::string& key);

}  // namespace cuvette::tools
