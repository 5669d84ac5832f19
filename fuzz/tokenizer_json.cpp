// Any bytes either throw CheckpointError or give a tokenizer that encodes the text after a zero byte.
#include <cstdlib>
#include <string>

#include "portatune/error.h"
#include "portatune/text/encode/text_encoder.h"
#include "portatune/text/read/components.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace portatune::text;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t zero = std::min(input.find('\0'), size);
  const std::string_view text = zero == size ? "The caf\u00e9's 12 \u4e2d\u6587" : input.substr(zero + 1);
  try {
    const JsonFile json(std::string(input.substr(0, zero)), "fuzz");
    const Tokenizer::Parts parts(parse_tokenizer_json(json), {});
    TextEncoder encoder(parts);
    encoder.encode({.first = text}, {.with_offsets = true});
    const std::vector<int32_t> ids = encoder.first.ids;
    encoder.encode({.first = text}, {});
    if (encoder.first.ids != ids) std::abort();
    parts.decode(ids, {});
  } catch (const portatune::CheckpointError&) {
  } catch (const portatune::DataError&) {  // not UTF-8
  }
  return 0;
}
