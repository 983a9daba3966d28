// The functions of pypaddle_bridge.h: Python values behind handles.
#include "pypaddle_bridge.h"

#include "interpreter.h"

namespace {

using pypaddle::with_python;

PyObject* object(pypaddle_value* value) { return reinterpret_cast<PyObject*>(value); }

pypaddle_value* handle(PyObject* object) { return reinterpret_cast<pypaddle_value*>(object); }

// Whether there is a value; else the error says that there is none.
bool given(const void* value, const char* what) {
  if (value == nullptr) PyErr_Format(PyExc_ValueError, "%s is NULL", what);
  return value != nullptr;
}

PyObject* list_of(pypaddle_value* const* items, size_t count) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; list != nullptr && i < count; ++i) {
    if (!given(items[i], "an item of a list")) {
      Py_CLEAR(list);
      break;
    }
    Py_INCREF(object(items[i]));
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), object(items[i]));
  }
  return list;
}

PyObject* dict_of(pypaddle_value* const* keys, pypaddle_value* const* values, size_t count) {
  PyObject* dict = PyDict_New();
  for (size_t i = 0; dict != nullptr && i < count; ++i) {
    if (!given(keys[i], "a key") || !given(values[i], "a value") ||
        PyDict_SetItem(dict, object(keys[i]), object(values[i])) != 0)
      Py_CLEAR(dict);
  }
  return dict;
}

PyObject* call(pypaddle_value* self, const char* name, pypaddle_value* const* args, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!given(args[i], "an argument")) return nullptr;
  PyObject* holder = self == nullptr ? pypaddle::bridge() : object(self);
  PyObject* function = PyObject_GetAttrString(holder, name);
  if (function == nullptr) return nullptr;
  // a handle is the PyObject itself: the array of handles is one of arguments
  PyObject* result =
      PyObject_Vectorcall(function, reinterpret_cast<PyObject* const*>(args), count, nullptr);
  Py_DECREF(function);
  return result;
}

}  // namespace

const char* pypaddle_error(void) { return pypaddle::error_text(); }

int pypaddle_enter(void) {
  if (!pypaddle::ready()) return 0;
  return 1 + static_cast<int>(pypaddle::enter());
}

void pypaddle_leave(int entered) {
  if (entered != 0) PyGILState_Release(static_cast<PyGILState_STATE>(entered - 1));
}

pypaddle_value* pypaddle_none(void) {
  return with_python([] {
    Py_INCREF(Py_None);
    return handle(Py_None);
  });
}

pypaddle_value* pypaddle_boolean(int x) {
  return with_python([=] { return handle(PyBool_FromLong(x)); });
}

pypaddle_value* pypaddle_integer(long long x) {
  return with_python([=] { return handle(PyLong_FromLongLong(x)); });
}

pypaddle_value* pypaddle_real(double x) {
  return with_python([=] { return handle(PyFloat_FromDouble(x)); });
}

pypaddle_value* pypaddle_text(const char* text, size_t length) {
  return with_python([=]() -> pypaddle_value* {
    if (!given(text, "a text")) return nullptr;
    return handle(PyUnicode_DecodeFSDefaultAndSize(text, static_cast<Py_ssize_t>(length)));
  });
}

pypaddle_value* pypaddle_bytes(const void* data, size_t length) {
  return with_python([=]() -> pypaddle_value* {
    if (length != 0 && !given(data, "a buffer")) return nullptr;
    return handle(PyBytes_FromStringAndSize(static_cast<const char*>(data),
                                            static_cast<Py_ssize_t>(length)));
  });
}

pypaddle_value* pypaddle_list(pypaddle_value* const* items, size_t count) {
  return with_python([=] { return handle(list_of(items, count)); });
}

pypaddle_value* pypaddle_dict(pypaddle_value* const* keys, pypaddle_value* const* values,
                              size_t count) {
  return with_python([=] { return handle(dict_of(keys, values, count)); });
}

pypaddle_value* pypaddle_view(void* data, size_t length) {
  static char nothing = 0;
  return with_python([=]() -> pypaddle_value* {
    if (length != 0 && !given(data, "the memory")) return nullptr;
    char* start = data == nullptr ? &nothing : static_cast<char*>(data);
    return handle(PyMemoryView_FromMemory(start, static_cast<Py_ssize_t>(length), PyBUF_WRITE));
  });
}

pypaddle_value* pypaddle_retain(pypaddle_value* value) {
  return with_python([=]() -> pypaddle_value* {
    if (!given(value, "the value")) return nullptr;
    Py_INCREF(object(value));
    return value;
  });
}

void pypaddle_release(pypaddle_value* value) {
  if (value == nullptr || !pypaddle::alive()) return;
  pypaddle::Gil gil;
  Py_DECREF(object(value));
}

pypaddle_value* pypaddle_call(pypaddle_value* self, const char* name, pypaddle_value* const* args,
                              size_t count) {
  return with_python([=] { return handle(call(self, name, args, count)); });
}

int pypaddle_as_integer(pypaddle_value* value, long long* x) {
  return with_python([=] {
    if (!given(value, "the value")) return 0;
    *x = PyLong_AsLongLong(object(value));
    return *x == -1 && PyErr_Occurred() ? 0 : 1;
  });
}

int pypaddle_as_real(pypaddle_value* value, double* x) {
  return with_python([=] {
    if (!given(value, "the value")) return 0;
    *x = PyFloat_AsDouble(object(value));
    return *x == -1.0 && PyErr_Occurred() ? 0 : 1;
  });
}

const char* pypaddle_as_text(pypaddle_value* value, size_t* length) {
  return with_python([=]() -> const char* {
    if (!given(value, "the value")) return nullptr;
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object(value), &size);
    *length = static_cast<size_t>(size);
    return text;
  });
}

void* pypaddle_memory(pypaddle_value* array, size_t* length) {
  static char nothing = 0;
  return with_python([=]() -> void* {
    if (!given(array, "the array")) return nullptr;
    Py_buffer view;
    if (PyObject_GetBuffer(object(array), &view, PyBUF_ANY_CONTIGUOUS) != 0) return nullptr;
    void* start = view.buf == nullptr ? &nothing : view.buf;
    *length = static_cast<size_t>(view.len);
    PyBuffer_Release(&view);
    return start;
  });
}

int pypaddle_length(pypaddle_value* sequence, size_t* length) {
  return with_python([=] {
    if (!given(sequence, "the sequence")) return 0;
    Py_ssize_t size = PySequence_Size(object(sequence));
    *length = static_cast<size_t>(size);
    return size < 0 ? 0 : 1;
  });
}

pypaddle_value* pypaddle_item(pypaddle_value* sequence, size_t index) {
  return with_python([=]() -> pypaddle_value* {
    if (!given(sequence, "the sequence")) return nullptr;
    return handle(PySequence_GetItem(object(sequence), static_cast<Py_ssize_t>(index)));
  });
}
