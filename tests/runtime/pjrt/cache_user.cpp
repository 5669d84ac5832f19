// cache_user PLUGIN FOLDER: a process that runs a program through the executable cache.
// Exits with 0 if the result is right, and writes "cached" or "compiled" to stdout.
#include <cstdio>

#include "portatune/runtime/pjrt/cache/executable_cache.h"
#include "runtime/pjrt/cpu.h"

namespace {

using namespace portatune;
using namespace portatune::pjrt;

int run(const std::string& plugin, const std::string& folder) {
  const Client client = Client::open("cpu", {.plugin_file = plugin});
  const CachedExecutable add = ExecutableCache({.folder = folder}).get_or_compile(client, kAdd);
  const Buffer x = client.move_to_device(Tensor({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
  const Buffer* arguments[] = {&x, &x};
  const Tensor sum = add.executable.execute_without_donation(arguments)[0].to_host();
  std::puts(add.was_cached ? "cached" : "compiled");
  return sum.as<float>()[5] == 12.f && add.fault.empty() ? 0 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  try {
    return run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
