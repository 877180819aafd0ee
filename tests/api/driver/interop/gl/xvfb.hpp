// SPDX-License-Identifier: Apache-2.0
// Xvfb: an X server without a screen, for as long as the process lives.
//
// It is started by the first that asks, on a display number that is free, and DISPLAY names it. It
// ends with the process, also with one that is killed.
//
// Threads: the main one; the server dies with the thread that started it.
#pragma once

#include <string>

class Xvfb {
 public:
  static const Xvfb& get();

  const std::string& display() const { return display_; }  // ":1"
  // What is on its screen, as an XWD file: 640 by 480 pixels of 32 bits.
  std::string screen_file() const { return folder_ + "/Xvfb_screen0"; }

  ~Xvfb();
  Xvfb(const Xvfb&) = delete;
  Xvfb& operator=(const Xvfb&) = delete;

 private:
  Xvfb();

  int process_;
  std::string folder_;
  std::string display_;
};
