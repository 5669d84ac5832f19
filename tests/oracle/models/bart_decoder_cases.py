"""The decoders of BART and its relatives without their encoders, for make_model_cases.py."""

import functools

import torch

from big_bird_cases import BIGBIRD_PEGASUS
from seq2seq_cases import BART, MARIAN
from speech_cases import WHISPER

# In a batch with padding on the left, these models count the positions of the padding, too, so that the text after a
# prompt depends on the others.
PROMPTS = (6, 6, 6)

# name: class, configuration
CASES = {
    "bartdecoder_lm": ("BartForCausalLM", BART),
    "mbartdecoder_lm": ("MBartForCausalLM", BART | {"scale_embedding": True}),
    "pegasusdecoder_lm": ("PegasusForCausalLM", BART | {"activation_function": "relu", "tie_word_embeddings": False}),
    "mariandecoder_lm": ("MarianForCausalLM", MARIAN | {"decoder_vocab_size": 100}),
    "bigbirdpegasusdecoder_lm": ("BigBirdPegasusForCausalLM", BIGBIRD_PEGASUS | {"use_bias": True}),
    "whisperdecoder_lm": ("WhisperForCausalLM", WHISPER | {"max_target_positions": 40}),
}


def with_shifted_labels(model, inputs):
    """The loss of the next token, as in other classes; these take labels that are shifted already."""
    kind = type(model)
    forward = kind.forward

    @functools.wraps(forward)
    def shifted(self, *arguments, labels=None, **more):
        if labels is not None:
            labels = torch.nn.functional.pad(labels[:, 1:], (0, 1), value=-100)
        return forward(self, *arguments, labels=labels, **more)

    kind.forward = shifted


def with_sinusoids(model, inputs):
    """Marian's positions, which are not saved."""
    positions = model.model.decoder.embed_positions
    positions.weight.copy_(positions.create_weight())
    with_shifted_labels(model, inputs)


CHANGES = {name: with_shifted_labels for name in CASES} | {"mariandecoder_lm": with_sinusoids}
