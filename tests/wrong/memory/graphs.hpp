// SPDX-License-Identifier: Apache-2.0
// Runs one of the programs in graphs.def; returns false if there is none of that name.
#pragma once

#include <string>

bool run_graphs(const std::string& name, bool repaired);
