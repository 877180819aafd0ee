// SPDX-License-Identifier: Apache-2.0
// The reports that docs/reports.md shows, and whether one is what a program prints.
#pragma once

#include <map>
#include <string>
#include <vector>

using Lines = std::vector<std::string>;

// By identifier: each line "cuvette: [identifier] ..." of a block of code, and the indented ones
// behind it.
std::multimap<std::string, Lines> shown_reports(const std::string& page);

// The reports among what a program has printed, likewise.
std::multimap<std::string, Lines> printed_reports(const std::string& errors);

// Compares what is shown with what is printed. A line "  ..." stands for any lines, and "..." at
// the end of a line for its rest. Folders, numbers of lines and offsets in code may differ, and
// addresses, if one always stands for the same other one. Returns what the first line is that does
// not fit, or "".
std::string first_difference(const Lines& shown, const Lines& printed);
