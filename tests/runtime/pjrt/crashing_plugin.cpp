// A plugin whose process ends by a signal when the plugin is loaded.
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) const void* GetPjrtApi() { std::abort(); }
