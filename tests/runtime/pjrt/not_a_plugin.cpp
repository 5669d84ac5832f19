// A shared library without the interface of a plugin.
extern "C" __attribute__((visibility("default"))) int portatune_not_a_plugin() { return 0; }
