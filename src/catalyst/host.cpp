// SPDX-License-Identifier: BSD-3-Clause
#include "catalyst/host.hpp"

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <vtkLogger.h>
#include <vtkObjectFactory.h>

#include <X11/Xlib.h>

namespace pathline::catalyst {

KeepHost::KeepHost() : folder_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  for (int signal = 1; signal < kSignals; ++signal) {
    known_[signal] = sigaction(signal, nullptr, &actions_[signal]) == 0;
  }
  if (const char* locale = std::setlocale(LC_ALL, nullptr); locale != nullptr) locale_ = locale;
}

KeepHost::~KeepHost() {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (known_[signal]) sigaction(signal, &actions_[signal], nullptr);
  }
  if (!locale_.empty()) std::setlocale(LC_ALL, locale_.c_str());
  if (folder_ < 0) return;
  if (fchdir(folder_) != 0) std::perror("pathline: cannot return to the working directory");
  close(folder_);
}

bool can_render(std::string& reason) {
  const char* name = std::getenv("DISPLAY");
  if (name == nullptr || *name == '\0') {
    reason = "DISPLAY is not set";
    return false;
  }
  Display* display = XOpenDisplay(name);
  if (display == nullptr) {
    reason = std::string("the display ") + name + " cannot be opened";
    return false;
  }
  int unused = 0;
  const bool has_gl = XQueryExtension(display, "GLX", &unused, &unused, &unused) != 0;
  // It stays open if it is good: servers like Xvfb start anew, and refuse everybody meanwhile, when
  // the last one leaves.
  if (has_gl) return true;
  XCloseDisplay(display);
  reason = std::string("the display ") + name + " has no OpenGL (GLX)";
  return false;
}

vtkStandardNewMacro(Messages);

void Messages::install() {
  vtkOutputWindow::SetInstance(this);
  vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
}

void Messages::DisplayText(const char* text) {
  std::fputs(text, stdout);
  std::fflush(stdout);
}

void Messages::DisplayErrorText(const char* text) {
  if (const char* verbose = std::getenv("PATHLINE_VERBOSE"); verbose && *verbose == '1') {
    std::fputs(text, stderr);
  }
  if (error_.empty()) error_ = text;
}

std::string Messages::take_error() {
  std::string error;
  error.swap(error_);
  return error;
}

}  // namespace pathline::catalyst
