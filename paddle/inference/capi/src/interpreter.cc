// Starts Python in this process, or finds it there, and imports paddle.inference.
#include "interpreter.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

// build.py says what these are; each is a text.
#if !defined(PYPADDLE_PYTHON) || !defined(PYPADDLE_ROOT) || !defined(PYPADDLE_LIBPYTHON)
#error "build this with `python -m paddle.inference.capi.build`"
#endif

namespace pypaddle {
namespace {

thread_local std::string last_error;

std::once_flag once;
std::atomic<bool> tried{false};
std::atomic<bool> ended{false};
PyObject* bridge_module = nullptr;  // set once
std::string start_error;            // why there is none

std::string text_of(PyObject* object) {
  PyObject* text = object == nullptr ? nullptr : PyObject_Str(object);
  const char* chars = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  std::string result = chars == nullptr ? "" : chars;
  Py_XDECREF(text);
  PyErr_Clear();
  return result;
}

// The pending exception as "Type: message"; cleared.
std::string pending() {
#if PY_VERSION_HEX >= 0x030C0000
  PyObject* exception = PyErr_GetRaisedException();
#else
  PyObject *kind = nullptr, *exception = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &exception, &trace);
  PyErr_NormalizeException(&kind, &exception, &trace);
  Py_XDECREF(kind);
  Py_XDECREF(trace);
#endif
  if (exception == nullptr) return "a call failed and said nothing of it";
  std::string result = std::string(Py_TYPE(exception)->tp_name) + ": " + text_of(exception);
  Py_DECREF(exception);
  return result;
}

// What stands in the way of the interpreter at a path; empty: nothing.
std::string obstacle(const std::string& python, bool chosen) {
  if (access(python.c_str(), X_OK) == 0) return "";
  return (chosen ? "PYPADDLE_PYTHON names " : "the library was built for ") + python +
         ", which is not there or cannot be run: set PYPADDLE_PYTHON to the python (" +
         std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION) +
         ") of the environment that has paddle";
}

std::string message(const PyStatus& status) {
  return std::string("Python did not start: ") +
         (status.err_msg == nullptr ? "no reason was given" : status.err_msg);
}

// Starts the interpreter of an environment, as its `python` would be, and keeps the GIL. Signals and
// the locale stay as the program has them; output is not buffered, so that it does not get lost or
// out of order with that of the program. Returns what went wrong; empty: nothing.
std::string start_python(const std::string& python) {
  PyPreConfig before;
  PyPreConfig_InitPythonConfig(&before);
  before.utf8_mode = 1;
  before.configure_locale = 0;
  before.coerce_c_locale = 0;
  PyStatus status = Py_PreInitialize(&before);
  if (PyStatus_Exception(status)) return message(status);

  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  config.buffered_stdio = 0;
  // getpath looks for pyvenv.cfg beside the program, and so finds the packages of an environment
  status = PyConfig_SetBytesString(&config, &config.program_name, python.c_str());
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  return PyStatus_Exception(status) ? message(status) : "";
}

bool add_to_path(const char* folder) {
  PyObject* path = PySys_GetObject("path");  // borrowed
  PyObject* text = PyUnicode_DecodeFSDefault(folder);
  bool done = path != nullptr && text != nullptr && PyList_Append(path, text) == 0;
  Py_XDECREF(text);
  return done;
}

// Imports what the library calls; the GIL is held.
void import_bridge() {
  const char* name = "paddle.inference.capi.bridge";
  bridge_module = PyImport_ImportModule(name);
  if (bridge_module != nullptr) return;
  start_error = pending();
  // not installed there: the checkout that the library was built from
  if (start_error == "ModuleNotFoundError: No module named 'paddle'" && add_to_path(PYPADDLE_ROOT))
    bridge_module = PyImport_ImportModule(name);
  if (bridge_module == nullptr) {
    if (PyErr_Occurred()) start_error = pending();
    start_error = "paddle.inference cannot be imported by " + text_of(PySys_GetObject("executable")) +
                  " (another one: PYPADDLE_PYTHON): " + start_error;
  }
}

// What Python does at its end, but for the end: values of the program may live longer than main.
void at_exit() {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject* module = PyImport_ImportModule("atexit");
  PyObject* result =
      module == nullptr ? nullptr : PyObject_CallMethod(module, "_run_exitfuncs", nullptr);
  if (result == nullptr) PyErr_Print();
  Py_XDECREF(result);
  Py_XDECREF(module);
  ended = true;
  PyGILState_Release(state);
}

void start_own() {
  const char* chosen = std::getenv("PYPADDLE_PYTHON");
  const bool is_chosen = chosen != nullptr && *chosen != '\0';
  const std::string python = is_chosen ? chosen : PYPADDLE_PYTHON;
  start_error = obstacle(python, is_chosen);
  if (!start_error.empty()) return;
  // extension modules look for Python's symbols in the global scope: they must be there even when
  // this library was loaded into a scope of its own (dlopen without RTLD_GLOBAL)
  dlopen(PYPADDLE_LIBPYTHON, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  start_error = start_python(python);
  if (!start_error.empty()) return;
  import_bridge();
  // after the import, so that it runs before the destructors of the libraries that this loaded
  std::atexit(at_exit);
  PyEval_SaveThread();
}

void start_in_host() {
  const std::string built = std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);
  const std::string found = std::string(Py_GetVersion());
  if (found.compare(0, built.size() + 1, built + ".") != 0) {
    start_error = "the library was built for Python " + built + ", but this process runs " + found;
    return;
  }
  PyGILState_STATE state = PyGILState_Ensure();
  import_bridge();
  PyGILState_Release(state);
}

// Keeps what Python knows of a thread of the program until the thread ends. Else each call would make
// that and throw it away, together with all that modules remember of the thread.
class KnownThread {
 public:
  KnownThread() {
    if (PyGILState_GetThisThreadState() != nullptr) return;
    first_ = PyGILState_Ensure();
    state_ = PyEval_SaveThread();
  }
  ~KnownThread() {
    if (state_ == nullptr || !alive()) return;
    PyEval_RestoreThread(state_);
    PyGILState_Release(first_);
  }
  KnownThread(const KnownThread&) = delete;
  KnownThread& operator=(const KnownThread&) = delete;

 private:
  PyThreadState* state_ = nullptr;
  PyGILState_STATE first_ = PyGILState_UNLOCKED;
};

void start() {
  if (Py_IsInitialized()) {
    start_in_host();
  } else {
    start_own();
  }
  tried = true;
}

}  // namespace

void set_error(const std::string& text) { last_error = text; }

const char* error_text() { return last_error.c_str(); }

void take_error() { last_error = pending(); }

bool alive() { return !ended && Py_IsInitialized(); }

bool ready() {
  if (!tried) {
    // a thread that waits here must not hold the GIL: the one that imports needs it
    PyThreadState* held =
        Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr;
    std::call_once(once, start);
    if (held != nullptr) PyEval_RestoreThread(held);
  }
  if (bridge_module != nullptr && alive()) return true;
  set_error(bridge_module == nullptr ? start_error : "the process is ending: Python is gone");
  return false;
}

PyObject* bridge() { return bridge_module; }

PyGILState_STATE enter() {
  static thread_local KnownThread thread;
  return PyGILState_Ensure();
}

}  // namespace pypaddle
