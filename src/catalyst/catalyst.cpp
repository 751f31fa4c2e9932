// SPDX-License-Identifier: BSD-3-Clause
#include "catalyst/catalyst.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <vector>
#include <vtkCPDataDescription.h>
#include <vtkCPInputDataDescription.h>
#include <vtkCPProcessor.h>
#include <vtkCPPythonPipeline.h>
#include <vtkDataObject.h>
#include <vtkMPI.h>
#include <vtkPythonInterpreter.h>
#include <vtkSmartPointer.h>

#include <mpi.h>

#include "catalyst/grid.hpp"
#include "catalyst/host.hpp"
#include "catalyst/ranks.hpp"

namespace pathline::catalyst {
namespace {

namespace fs = std::filesystem;

/// What scripts call the mesh.
constexpr const char* kChannel = "grid";

struct Script {
  std::string file;
  vtkSmartPointer<vtkCPPythonPipeline> pipeline;  ///< Null when it has failed.
  uint64_t complaints = 0;                        ///< Steps with errors that ended nothing.
};

/// All that lives from start to end.
struct Session {
  explicit Session(MPI_Comm comm) : world(comm), ranks(comm) {}
  MPI_Comm world;
  Ranks ranks;
  void (*say)(const char*) = nullptr;
  std::string folder;
  vtkSmartPointer<Messages> messages;
  vtkSmartPointer<vtkCPProcessor> processor;
  std::vector<Script> scripts;
  Mesh mesh;
  fs::file_time_type began{};
  uint64_t steps = 0;
};
Session* session = nullptr;  // No destructor runs at the end of a program that does not end MPI.

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> found;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) found.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return found;
}

std::string python_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// Python's extensions (numpy) look for its functions among those that all libraries may see, and
/// we were loaded out of their sight.
void show_python_to_its_modules() {
  Dl_info python{};
  void* function = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  if (function != nullptr && dladdr(function, &python) != 0) {
    dlopen(python.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  }
}

/// Once for all ranks.
void say(const std::string& text) {
  if (session->ranks.rank() == 0) session->say(text.c_str());
}

/// The first line of the first error that any rank has had since this was asked last.
std::string error_of_all() {
  std::string error = session->ranks.first(session->messages->take_error());
  while (!error.empty() && (error.back() == '\n' || error.back() == ' ')) error.pop_back();
  return error;
}

/// VTK puts a line with its source's in front, and the address of an object.
std::string plain(const std::string& error) {
  const size_t address = error.find("): ");
  if (error.rfind("ERROR: In ", 0) == 0 && address != std::string::npos) {
    return error.substr(address + 3);
  }
  return error;
}

std::string our_folder() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&our_folder), &self) == 0) return {};
  return (fs::path(self.dli_fname).parent_path() / "pathline-catalyst").string();
}

/// What a function of pathline_insitu.py returns.
bool is_true(const std::string& call) {
  return vtkPythonInterpreter::RunSimpleString(
             ("pathline_insitu._answer(pathline_insitu." + call + ")").c_str()) != 0;
}

/// Whether scripts get pictures; says why not to those that want some.
bool may_render() {
  std::string reason;
  const bool here = can_render(reason);
  const bool all = session->ranks.all(here);
  const std::string why = session->ranks.first(reason);
  if (all) return true;
  for (const Script& script : session->scripts) {
    if (!is_true("renders(" + python_text(script.file) + ")")) continue;
    say("--catalyst: no pictures are made by " + script.file + ", as " + why +
        "; files of data are written all the same. Pictures need an X display on each node, as of "
        "'Xvfb :77 -screen 0 1280x1024x24 +extension GLX'");
    break;
  }
  return false;
}

/// Takes the pipeline out of use if any rank had an error with it.
void judge(Script& script, bool failed) {
  const bool fails = !session->ranks.all(!failed);
  const std::string error = error_of_all();
  if (!fails) {
    if (error.empty()) return;
    // ParaView complains, but goes on; once is enough of what may come in every step.
    if (++script.complaints == 1)
      say("--catalyst: " + script.file + ": ParaView says: " + plain(error));
    return;
  }
  script.pipeline = nullptr;
  say("--catalyst: " + script.file + " has failed and is not run any more; the program goes on: " +
      (error.empty() ? "no reason was given" : plain(error)));
}

/// Did Python raise something since this was asked last?
bool has_raised() { return is_true("_has_raised()"); }

bool start_paraview(const PathlineCatalystStart& given) {
  Session& s = *session;
  show_python_to_its_modules();
  s.messages = vtkSmartPointer<Messages>::New();
  s.messages->install();
  s.processor = vtkSmartPointer<vtkCPProcessor>::New();
  vtkMPICommunicatorOpaqueComm opaque(&s.world);
  const bool works = s.processor->Initialize(opaque, s.folder.c_str()) != 0;
  s.messages->install();  // The start may have changed that.
  const bool helps = works && vtkPythonInterpreter::RunSimpleString(
                                  ("import sys; sys.path.insert(0, " + python_text(our_folder()) +
                                   "); import pathline_insitu; pathline_insitu._begin(" +
                                   python_text(s.folder) + ")")
                                      .c_str()) == 0;
  if (!s.ranks.all(helps)) {
    const std::string error = error_of_all();
    say("--catalyst: ParaView cannot be started: " +
        (error.empty() ? "its Python does not run" : plain(error)));
    return false;
  }
  for (const std::string& file : parts(given.scripts)) s.scripts.push_back({.file = file});
  if (!may_render()) vtkPythonInterpreter::RunSimpleString("pathline_insitu._without_pictures()");
  for (Script& script : s.scripts) {
    script.pipeline = vtkCPPythonPipeline::CreateAndInitializePipeline(script.file.c_str());
    judge(script, has_raised() || script.pipeline == nullptr);
  }
  return true;
}

bool any_script() {
  for (const Script& script : session->scripts) {
    if (script.pipeline != nullptr) return true;
  }
  return false;
}

void run(Script& script, int64_t step, double time_s) {
  Session& s = *session;
  s.processor->RemoveAllPipelines();
  s.processor->AddPipeline(script.pipeline);
  vtkNew<vtkCPDataDescription> description;
  description->AddInput(kChannel);
  description->SetTimeData(time_s, step);
  bool failed = false;
  if (s.processor->RequestDataDescription(description) != 0) {
    vtkCPInputDataDescription* input = description->GetInputDescriptionByName(kChannel);
    input->SetGrid(s.mesh.with(
        [&](const char* name) { return input->IsFieldNeeded(name, vtkDataObject::CELL); }));
    failed = s.processor->CoProcess(description) == 0;
  }
  judge(script, has_raised() || failed);
}

/// Is there anything in the folder that was written since the start?
bool has_written() {
  std::error_code failure;
  for (fs::recursive_directory_iterator at(session->folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code gone;
    if (at->is_regular_file(gone) && at->last_write_time(gone) >= session->began) return true;
  }
  return false;
}

int start(const PathlineCatalystStart& given) {
  if (session != nullptr || given.version != PATHLINE_CATALYST_VERSION) return 1;
  MPI_Comm world = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_Comm_f2c(given.world), &world);
  session = new Session(world);
  session->say = given.say;
  session->folder = given.folder;
  std::error_code failure;
  fs::create_directories(session->folder, failure);
  session->began = fs::file_time_type::clock::now() - std::chrono::seconds(1);
  return start_paraview(given) && any_script() ? 0 : 1;
}

int execute(const PathlineCatalystGrid& grid, std::span<const PathlineCatalystArray> arrays,
            int64_t step, double time_s) {
  Session& s = *session;
  if (!any_script()) return 1;
  const bool taken = s.mesh.take(grid, s.ranks.share(arrays, grid.n_cells > 0), step);
  if (!s.ranks.all(taken)) {
    say("--catalyst: time step " + std::to_string(step) +
        " is left out: a rank has no memory for "
        "the arrays of its cells");
    return 0;
  }
  ++s.steps;
  for (Script& script : s.scripts) {
    if (script.pipeline != nullptr) run(script, step, time_s);
  }
  return any_script() ? 0 : 1;
}

void end() {
  Session& s = *session;
  s.processor->RemoveAllPipelines();
  for (const Script& script : s.scripts) {
    if (script.pipeline != nullptr) s.processor->AddPipeline(script.pipeline);
  }
  s.processor->Finalize();
  for (const Script& script : s.scripts) {
    if (script.complaints < 2) continue;
    say("--catalyst: " + script.file + ": ParaView had errors in " +
        std::to_string(script.complaints) + " time steps");
  }
  s.scripts.clear();
  const std::string error = error_of_all();
  if (!error.empty()) say("--catalyst: at the end ParaView says: " + plain(error));
  if (s.ranks.rank() == 0 && s.steps > 0 && !has_written()) {
    say("--catalyst: in " + std::to_string(s.steps) +
        (s.steps == 1 ? " time step" : " time steps") + " no file was written in " + s.folder);
  }
  // Before MPI_Finalize, as it frees communicators.
  s.processor = nullptr;
  MPI_Comm world = s.world;
  delete session;
  session = nullptr;
  MPI_Comm_free(&world);
}

/// No exception leaves for the recorder, which has none.
template <class Body>
int guarded(Body body) {
  const KeepHost keep;
  try {
    return body();
  } catch (const std::exception& error) {
    if (session != nullptr && session->say != nullptr) {
      session->say((std::string("--catalyst: ") + error.what()).c_str());
    }
    return 1;
  }
}

}  // namespace
}  // namespace pathline::catalyst

using namespace pathline::catalyst;

extern "C" {

__attribute__((visibility("default"))) int pathline_catalyst_start(
    const PathlineCatalystStart* given) {
  return guarded([&] { return start(*given); });
}

__attribute__((visibility("default"))) int pathline_catalyst_execute(
    const PathlineCatalystGrid* grid, const PathlineCatalystArray* arrays, int32_t array_count,
    int64_t step, double time_s) {
  return guarded([&] {
    return session == nullptr
               ? 1
               : execute(*grid, {arrays, static_cast<size_t>(array_count)}, step, time_s);
  });
}

__attribute__((visibility("default"))) void pathline_catalyst_end() {
  guarded([] {
    if (session != nullptr) end();
    return 0;
  });
}
}
