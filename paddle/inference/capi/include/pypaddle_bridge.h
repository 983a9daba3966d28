/* What the C++ headers need of the library: Python values behind handles, in plain C.
 *
 * A function that returns a handle or a pointer returns NULL when it fails, one that returns an int
 * returns 0; pypaddle_error() then says why, until the next call in the same thread. All functions
 * may be called from any thread. */
#ifndef PYPADDLE_BRIDGE_H_
#define PYPADDLE_BRIDGE_H_

#include <stddef.h>

#if defined(_WIN32)
#define PYPADDLE_API
#else
#define PYPADDLE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A Python value. The caller owns what a function returns and gives it to pypaddle_release. */
typedef struct pypaddle_value pypaddle_value;

/* What went wrong last in this thread; an empty text if nothing did. */
PYPADDLE_API const char* pypaddle_error(void);

/* Between these, calls need not wait for Python each: pypaddle_leave gets what pypaddle_enter gave, in
 * the same thread. Other threads wait for Python meanwhile. */
PYPADDLE_API int pypaddle_enter(void);
PYPADDLE_API void pypaddle_leave(int entered);

PYPADDLE_API pypaddle_value* pypaddle_none(void);
PYPADDLE_API pypaddle_value* pypaddle_boolean(int x);
PYPADDLE_API pypaddle_value* pypaddle_integer(long long x);
PYPADDLE_API pypaddle_value* pypaddle_real(double x);
PYPADDLE_API pypaddle_value* pypaddle_text(const char* text, size_t length);
PYPADDLE_API pypaddle_value* pypaddle_bytes(const void* data, size_t length);
PYPADDLE_API pypaddle_value* pypaddle_list(pypaddle_value* const* items, size_t count);
PYPADDLE_API pypaddle_value* pypaddle_dict(pypaddle_value* const* keys,
                                           pypaddle_value* const* values, size_t count);

/* The memory of the caller, without a copy: it has to outlive the value. */
PYPADDLE_API pypaddle_value* pypaddle_view(void* data, size_t length);

/* Another owner of the same value. */
PYPADDLE_API pypaddle_value* pypaddle_retain(pypaddle_value* value);
PYPADDLE_API void pypaddle_release(pypaddle_value* value);

/* Calls a method of a value, or, with self NULL, a function of paddle/inference/capi/bridge.py. */
PYPADDLE_API pypaddle_value* pypaddle_call(pypaddle_value* self, const char* name,
                                           pypaddle_value* const* args, size_t count);

PYPADDLE_API int pypaddle_as_integer(pypaddle_value* value, long long* x);
PYPADDLE_API int pypaddle_as_real(pypaddle_value* value, double* x);

/* The text (UTF-8) of a str; it lives as long as the value. */
PYPADDLE_API const char* pypaddle_as_text(pypaddle_value* value, size_t* length);

/* Where the bytes of an array lie; they live as long as the value. */
PYPADDLE_API void* pypaddle_memory(pypaddle_value* array, size_t* length);

PYPADDLE_API int pypaddle_length(pypaddle_value* sequence, size_t* length);
PYPADDLE_API pypaddle_value* pypaddle_item(pypaddle_value* sequence, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* PYPADDLE_BRIDGE_H_ */
