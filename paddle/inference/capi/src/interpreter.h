// The Python interpreter in this process: started or found once, entered by every function.
#ifndef PYPADDLE_INTERPRETER_H_
#define PYPADDLE_INTERPRETER_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

namespace pypaddle {

// The text of pypaddle_error in this thread.
void set_error(const std::string& text);
const char* error_text();

// Moves the pending Python exception into the text; the GIL is held.
void take_error();

// Whether Python may be called: starts it and imports paddle.inference if that was not done.
bool ready();

// Whether Python lives still; values of a process that ends are left alone.
bool alive();

// The module paddle.inference.capi.bridge; borrowed.
PyObject* bridge();

// Takes the GIL; PyGILState_Release gives it back.
PyGILState_STATE enter();

// Holds the GIL.
class Gil {
 public:
  Gil() : state_(enter()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Returns what f returns, called with the GIL, or null with the error set.
template <typename F>
auto with_python(F f) -> decltype(f()) {
  if (!ready()) return {};
  Gil gil;
  auto result = f();
  if (!result) take_error();
  return result;
}

}  // namespace pypaddle

#endif  // PYPADDLE_INTERPRETER_H_
