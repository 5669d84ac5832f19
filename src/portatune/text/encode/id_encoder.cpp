#include "portatune/text/encode/text_encoder.h"

namespace portatune::text {

struct IdEncoder::State {
  explicit State(const Tokenizer::Parts& parts) : parts(parts), encoder(parts) {}

  const Tokenizer::Parts& parts;
  TextEncoder encoder;
};

IdEncoder::IdEncoder(const Tokenizer& tokenizer) : state_(std::make_unique<State>(*tokenizer.parts_)) {}
IdEncoder::~IdEncoder() = default;
IdEncoder::IdEncoder(IdEncoder&&) noexcept = default;
IdEncoder& IdEncoder::operator=(IdEncoder&&) noexcept = default;

void IdEncoder::append(const TextPair& texts, const EncodeOptions& options, std::vector<int32_t>& ids,
                       std::vector<int32_t>* type_ids) {
  EncodeOptions ids_only = options;
  ids_only.with_offsets = false;
  TextEncoder& encoder = state_->encoder;
  encoder.encode(texts, ids_only);
  assemble(state_->parts.post_processor.layout.parts(texts.second.has_value()), encoder.first.ids, encoder.second.ids,
           options.add_special_tokens, ids, type_ids);
}

}  // namespace portatune::text
