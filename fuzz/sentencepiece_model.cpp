// Any bytes either throw UsageError or give pieces.
#include "portatune/text/read/sentencepiece_model.h"

#include <cstdlib>

#include "portatune/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (portatune::text::parse_sentencepiece_model(bytes).pieces.empty()) std::abort();
  } catch (const portatune::UsageError&) {
  }
  return 0;
}
