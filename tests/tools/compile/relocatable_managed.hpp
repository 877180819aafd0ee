// SPDX-License-Identifier: Apache-2.0
// What the files of the program share.
#pragma once

extern __managed__ int counter;
extern __managed__ int of_nobody;  // declared, and not used
inline __managed__ int in_each = 6;
template <typename T>
struct Shared {
  static __managed__ T value;
};
template <typename T>
__managed__ T Shared<T>::value = 7;

void change_elsewhere();
int own_elsewhere();
int counter_elsewhere();
int counter_of_host();
