// Any bytes give settings or throw UsageError.
#include "portatune/cli/options/recipes/recipe.h"

#include <cstdlib>

#include "memory_file.h"
#include "portatune/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune;
  const MemoryFile file(data, size);
  try {
    for (const cli::Setting& setting : cli::read_recipe(file.path()).settings) {
      if (!setting.is_list && setting.values.size() != 1) std::abort();
    }
  } catch (const UsageError&) {
  } catch (const DataError&) {  // more than 1 MB
  }
  return 0;
}
