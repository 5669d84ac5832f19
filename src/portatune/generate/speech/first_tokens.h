// The tokens before the texts of a batch of recordings, whose languages the model may detect.
#pragma once

#include "portatune/generate/speech/speech_prompt.h"
#include "portatune/generate/token_model.h"
#include "portatune/models.h"
#include "portatune/nn.h"

namespace portatune::generate {

/// Facts from earlier windows of the recordings.
struct KnownSpeech {
  Value languages = {};  ///< ids, int32 [batch]: -1 where the language is to be detected; absent: everywhere
  /// Tokens before those of the prompt, in place of SpeechPrompt::previous: int32 [batch, n], -1 before each row.
  Value previous = {};
};

/// The tokens of a prompt for each source. If the prompt leaves the language open, it is that of detect_language() of
/// WhisperForConditionalGeneration: the most probable one after the first token.
/// source  models::encoded_speech()
FirstTokens first_tokens(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                         const SpeechPrompt& prompt, const KnownSpeech& known = {});

/// The probability of silence, which is that of a token after the first one of the prompt: float32 [batch].
/// first      first_tokens()
/// no_speech  the id of this token
Value no_speech_probability(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                            const SpeechPrompt& prompt, const FirstTokens& first, int32_t no_speech);

}  // namespace portatune::generate
