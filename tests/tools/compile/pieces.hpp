// SPDX-License-Identifier: Apache-2.0
// What the files of a program tell each other.
#pragma once

void launch_scale(int* values, int count);
int sum(const int* values, int count);
