// A plugin that never finishes loading.
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) const void* GetPjrtApi() {
  while (true) pause();
}
