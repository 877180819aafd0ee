// SPDX-License-Identifier: Apache-2.0
// What a library that uses a runtime does for the test: it is compiled once for each major version.
#pragma once

// Adds `value` to the number of int `numbers` that lie in device memory, or in new memory where
// that is null; returns where they lie, and null with an error's name in `error`.
using UseRuntime = void* (*)(void* numbers, int count, int value, const char** error);
// Reads them back.
using ReadNumbers = const char* (*)(const void* numbers, int* host, int count);
// cudaRuntimeGetVersion(), and cudaGetLastError().
using RuntimeVersion = int (*)();
using LastError = int (*)();
