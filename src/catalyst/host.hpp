// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <string>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

namespace pathline::catalyst {

/// What ParaView and Python change in a process that is not theirs, as it was: handlers of signals
/// (ParaView prints stacks, Python takes SIGPIPE), the locale, the working directory.
class KeepHost {
 public:
  KeepHost();
  ~KeepHost();
  KeepHost(const KeepHost&) = delete;
  KeepHost& operator=(const KeepHost&) = delete;

 private:
  static constexpr int kSignals = 65;
  struct sigaction actions_[kSignals];
  bool known_[kSignals];
  std::string locale_;
  int folder_;
};

/// Whether a window could be opened here. Debian's ParaView renders into windows of X only, and
/// aborts the program where there are none. Connects to the display, for as long as the process
/// lives.
///
/// reason  set to why not
bool can_render(std::string& reason);

/// Takes what VTK and Python have to say: errors are kept, warnings dropped, and what a script
/// prints goes to standard output. With PATHLINE_VERBOSE=1 all errors are shown as they come.
class Messages : public vtkOutputWindow {
 public:
  vtkTypeMacro(Messages, vtkOutputWindow) static Messages* New();
  /// Takes the place of VTK's own, also of the log that would print all of it a second time.
  void install();

  void DisplayText(const char* text) override;
  void DisplayErrorText(const char* text) override;
  void DisplayWarningText(const char* text) override { (void)text; }
  void DisplayGenericWarningText(const char* text) override { (void)text; }
  void DisplayDebugText(const char* text) override { (void)text; }

  /// The first error since this was called last, "" for none.
  std::string take_error();

 protected:
  Messages() = default;
  ~Messages() override = default;

 private:
  std::string error_;
};

}  // namespace pathline::catalyst
