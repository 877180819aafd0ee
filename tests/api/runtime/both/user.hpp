// SPDX-License-Identifier: Apache-2.0
// The functions of a library that uses a runtime; it is compiled once for each major version.
#pragma once

// Adds `value` to `count` ints at `numbers` in device memory, or in new memory if that is null.
// Returns their address, or null with an error's name in `error`.
using UseRuntime = void* (*)(void* numbers, int count, int value, const char** error);
// Reads the ints back.
using ReadNumbers = const char* (*)(const void* numbers, int* host, int count);
// cudaRuntimeGetVersion(), and cudaGetLastError().
using RuntimeVersion = int (*)();
using LastError = int (*)();
