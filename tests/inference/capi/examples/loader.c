/* Loads the library into a scope of its own, as plug-ins and other languages do, and counts the inputs
 * of a model: loader LIBRARY [PROG PARAMS]. */
#include <dlfcn.h>
#include <pthread.h>

#include "paddle_c_api.h"

typedef PD_AnalysisConfig* (*NewConfig)(void);
typedef void (*SetModel)(PD_AnalysisConfig*, const char*, const char*);
typedef PD_Predictor* (*NewPredictor)(const PD_AnalysisConfig*);
typedef int (*GetInputNum)(const PD_Predictor*);

static GetInputNum count;
static PD_Predictor* predictor;

static void* count_in_thread(void* result) {
  *(int*)result = count(predictor);
  return NULL;
}

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) return 2;
  NewConfig new_config = (NewConfig)dlsym(library, "PD_NewAnalysisConfig");
  SetModel set_model = (SetModel)dlsym(library, "PD_SetModel");
  NewPredictor new_predictor = (NewPredictor)dlsym(library, "PD_NewPredictor");
  count = (GetInputNum)dlsym(library, "PD_GetInputNum");

  PD_AnalysisConfig* config = new_config();
  if (config == NULL || argc < 4) return 3;
  set_model(config, argv[2], argv[3]);
  predictor = new_predictor(config);
  if (predictor == NULL) return 4;
  int found = 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, count_in_thread, &found) != 0) return 5;
  pthread_join(thread, NULL);
  printf("inputs: %d, in a thread: %d\n", count(predictor), found);
  return 0;
}
