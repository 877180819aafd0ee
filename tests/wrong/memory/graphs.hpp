// SPDX-License-Identifier: Apache-2.0
// Programs that use memory of graphs.
#pragma once

#include <string>

// Runs one of the programs in graphs.def; returns false if there is none of that name.
bool run_graphs(const std::string& name, bool repaired);

// Runs a program that is drawn from a seed; returns whether it has used memory that is not there,
// which is then the last thing that it does.
bool run_random_graphs(unsigned seed);
