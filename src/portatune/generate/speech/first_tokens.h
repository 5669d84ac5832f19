// The tokens before the texts of a batch of recordings, whose languages the model may detect.
#pragma once

#include "portatune/generate/speech/speech_prompt.h"
#include "portatune/models.h"
#include "portatune/nn.h"

namespace portatune::generate {

/// The tokens of a prompt for each source, int32 [batch, n]. If the prompt leaves the language open, it is that of
/// detect_language() of WhisperForConditionalGeneration: the most probable one after the first token.
/// source  models::encoded_speech()
/// known   ids of languages that are detected already, int32 [batch]: -1 where that is to be done; absent: everywhere
Value first_tokens(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                   const SpeechPrompt& prompt, const Value& known = {});

/// The probability of silence, which is that of a token after the first one: float32 [batch].
/// no_speech  the id of this token
Value no_speech_probability(const models::TextModel& model, const nn::Scope& root, const models::EncodedSource& source,
                            const SpeechPrompt& prompt, int32_t no_speech);

}  // namespace portatune::generate
