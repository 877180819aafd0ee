// SPDX-License-Identifier: Apache-2.0
// Shared by the files of one program.
#pragma once

void launch_scale(int* values, int count);
int sum(const int* values, int count);
