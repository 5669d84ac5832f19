"""The cases of make_model_cases.py for models of speech and other sounds."""

import numpy as np
import torch
import transformers
from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2GumbelVectorQuantizer, _sample_negative_indices

# 10 samples a frame.
WAV2VEC2 = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "conv_dim": (10, 12),
    "conv_kernel": (10, 3),
    "conv_stride": (5, 2),
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 4,
    "classifier_proj_size": 10,
    "vocab_size": 9,
}
LAYER_NORM = {"feat_extract_norm": "layer", "conv_bias": True}
# 20 samples a frame.
THREE = {"conv_dim": (10, 14, 12), "conv_kernel": (10, 3, 2), "conv_stride": (5, 2, 2)}
STABLE = LAYER_NORM | {"do_stable_layer_norm": True, "num_conv_pos_embeddings": 5}
MEAN = {"ctc_loss_reduction": "mean"}
ADAPTER = {"add_adapter": True, "num_adapter_layers": 2}
XVECTOR = {
    "tdnn_dim": (8, 10, 14),
    "tdnn_kernel": (2, 2, 1),
    "tdnn_dilation": (1, 2, 1),
    "xvector_output_dim": 12,
    "num_labels": 4,
}
AST = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_length": 24,
    "num_mel_bins": 12,
    "patch_size": 4,
    "time_stride": 3,
    "frequency_stride": 2,
}
# Spectrograms of 24 frames. The padding is the end of a text, as in published files.
WHISPER = {
    "d_model": 24,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 36,
    "vocab_size": 100,
    "num_mel_bins": 10,
    "max_source_positions": 12,
    "max_target_positions": 20,
    "pad_token_id": 57,
    "bos_token_id": 57,
    "eos_token_id": 57,
    "decoder_start_token_id": 58,
    "begin_suppress_tokens": None,
}

PRETRAINING = {
    "num_codevectors_per_group": 6,
    "num_codevector_groups": 2,
    "codevector_dim": 10,
    "proj_codevector_dim": 14,
    "num_negatives": 7,
    "contrastive_logits_temperature": 0.2,
    "diversity_loss_weight": 0.3,
}

SINGLE = {"problem_type": "single_label_classification", "num_labels": 3}

# name: class, configuration
SPEECH_CASES = {
    "wav2vec2_softmax": ("Wav2Vec2ForSequenceClassification", WAV2VEC2 | THREE | SINGLE | {"use_weighted_layer_sum": True}),
    "wav2vec2_stable": ("Wav2Vec2ForSequenceClassification", WAV2VEC2 | STABLE | SINGLE),
    "wav2vec2_stable_weighted": (
        "Wav2Vec2ForSequenceClassification",
        WAV2VEC2 | STABLE | SINGLE | {"use_weighted_layer_sum": True},
    ),
    "wav2vec2_masked": ("Wav2Vec2ForSequenceClassification", WAV2VEC2 | LAYER_NORM | SINGLE),
    "wav2vec2_ctc": ("Wav2Vec2ForCTC", WAV2VEC2 | THREE),
    "wav2vec2_ctc_mean": ("Wav2Vec2ForCTC", WAV2VEC2 | STABLE | {"ctc_loss_reduction": "mean", "pad_token_id": 3}),
    "wav2vec2_ctc_zero": ("Wav2Vec2ForCTC", WAV2VEC2 | LAYER_NORM | {"ctc_zero_infinity": True}),
    "wav2vec2_model": ("Wav2Vec2Model", WAV2VEC2 | {"mask_time_prob": 0.0, "hidden_act": "relu"}),
    "hubert_softmax": ("HubertForSequenceClassification", WAV2VEC2 | SINGLE),
    "hubert_ctc": ("HubertForCTC", WAV2VEC2 | THREE | STABLE | {"feat_proj_layer_norm": False}),
    "hubert_model": ("HubertModel", WAV2VEC2),
    "ast_softmax": ("ASTForAudioClassification", AST | SINGLE),
    "ast_model": ("ASTModel", AST | {"qkv_bias": False}),
    "whisper_lm": ("WhisperForConditionalGeneration", WHISPER),
    "whisper_lm_relu": (
        "WhisperForConditionalGeneration",
        WHISPER | {"encoder_layers": 1, "decoder_layers": 1, "activation_function": "relu", "decoder_attention_heads": 2},
    ),
    "whisper_softmax": ("WhisperForAudioClassification", WHISPER | SINGLE | {"classifier_proj_size": 14}),
    "whisper_softmax_weighted": (
        "WhisperForAudioClassification",
        WHISPER | SINGLE | {"encoder_layers": 1, "classifier_proj_size": 10, "use_weighted_layer_sum": True},
    ),
    "wav2vec2_frames": ("Wav2Vec2ForAudioFrameClassification", WAV2VEC2 | LAYER_NORM | {"num_labels": 3}),
    "wav2vec2_frames_weighted": (
        "Wav2Vec2ForAudioFrameClassification",
        WAV2VEC2 | {"num_labels": 3, "use_weighted_layer_sum": True},
    ),
    "wav2vec2_xvector": ("Wav2Vec2ForXVector", WAV2VEC2 | LAYER_NORM | XVECTOR),
    "wav2vec2_xvector_weighted": ("Wav2Vec2ForXVector", WAV2VEC2 | XVECTOR | {"use_weighted_layer_sum": True}),
    "whisper_model": ("WhisperModel", WHISPER | {"encoder_layers": 1, "decoder_layers": 1}),
    "wav2vec2_pretraining": ("Wav2Vec2ForPreTraining", WAV2VEC2 | STABLE | PRETRAINING),
    "wav2vec2_pretraining_noise": (
        "Wav2Vec2ForPreTraining",
        WAV2VEC2 | STABLE | PRETRAINING | {"num_codevector_groups": 1},
    ),
    "wav2vec2_adapter": ("Wav2Vec2ForCTC", WAV2VEC2 | LAYER_NORM | ADAPTER | MEAN | {"output_hidden_size": 14}),
    "wav2vec2_adapter_model": (
        "Wav2Vec2Model",
        WAV2VEC2 | STABLE | ADAPTER | {"adapter_kernel_size": 2, "adapter_stride": 3, "num_adapter_layers": 1},
    ),
    "wav2vec2_language": ("Wav2Vec2ForCTC", WAV2VEC2 | STABLE | MEAN | {"adapter_attn_dim": 6}),
}

# Cases of one layer whose gradients are all recorded, because other cases do not have some of the parameters.
WITH_ALL_GRADIENTS = (
    "wav2vec2_stable",
    "wav2vec2_masked",
    "hubert_ctc",
    "whisper_softmax",
    "wav2vec2_pretraining",
    "wav2vec2_pretraining_noise",
    "wav2vec2_adapter",
    "wav2vec2_language",
)

# Cases with optimizer steps beside the first of each architecture.
WITH_STEPS = ("wav2vec2_pretraining", "wav2vec2_pretraining_noise", "wav2vec2_adapter", "wav2vec2_language")


def masked(model, inputs):
    """Frames that SpecAugment masks, some of them padding."""
    generator = torch.Generator().manual_seed(7)
    inputs["mask_time_indices"] = torch.rand((3, 9), generator=generator) < 0.4


def without_alignment(model, inputs):
    """The labels of the second row need more frames than it has."""
    labels = torch.tensor([[1, 2, 2, 5, 4, 3], [2, 2, 3, 3, 1, -100], [4, -100, -100, -100, -100, -100]])
    inputs["labels"] = labels


def with_few_labels(model, inputs):
    """The adapter leaves three, two and one of the frames."""
    inputs["labels"] = torch.tensor([[1, 2], [4, -100], [3, -100]])


def masked_with_negatives(model, inputs):
    """Masked frames that are real, and others of them from which each is distinguished."""
    generator = torch.Generator().manual_seed(11)
    frames = model._get_feat_extract_output_lengths(inputs["attention_mask"].sum(1))
    masks = (torch.rand((3, 9), generator=generator) < 0.6) & (torch.arange(9) < frames[:, None])
    masks[:, 1:3] = True  # each needs another one
    np.random.seed(12)
    negatives = _sample_negative_indices((3, 9), model.config.num_negatives, masks.numpy())
    inputs |= {"mask_time_indices": masks, "sampled_negative_indices": torch.tensor(negatives)}


class NoisyQuantizer(Wav2Vec2GumbelVectorQuantizer):
    """The quantizer of training, with noise that is given."""

    def forward(self, hidden_states, mask_time_indices=None):
        draw = torch.nn.functional.gumbel_softmax

        def with_noise(logits, tau, hard):
            soft = ((logits + self.noise.view(logits.shape)) / tau).softmax(-1)
            one_hot = torch.nn.functional.one_hot(soft.argmax(-1), soft.shape[-1]).to(soft.dtype)
            return one_hot - soft.detach() + soft

        was_training, self.training = self.training, True
        torch.nn.functional.gumbel_softmax = with_noise
        try:
            return super().forward(hidden_states, mask_time_indices)
        finally:
            torch.nn.functional.gumbel_softmax = draw
            self.training = was_training


class Wav2Vec2ForPreTraining(transformers.Wav2Vec2ForPreTraining):
    """The class of transformers with one more input."""

    def forward(self, *, gumbel_noise, **inputs):
        self.quantizer.noise = gumbel_noise
        return super().forward(**inputs)


def with_noise(model, inputs):
    masked_with_negatives(model, inputs)
    model.__class__, model.quantizer.__class__ = Wav2Vec2ForPreTraining, NoisyQuantizer
    config, generator = model.config, torch.Generator().manual_seed(13)
    shape = (3, 9, config.num_codevector_groups, config.num_codevectors_per_group)
    inputs["gumbel_noise"] = -torch.empty(shape).exponential_(generator=generator).log()


CHANGES = {
    "wav2vec2_masked": masked,
    "wav2vec2_ctc_zero": without_alignment,
    "wav2vec2_adapter": with_few_labels,
    "wav2vec2_pretraining": masked_with_negatives,
    "wav2vec2_pretraining_noise": with_noise,
}


def wav2vec2_of_2021(weights, config):
    """The names of the positional convolution before PyTorch's parametrizations."""
    new_names = {"parametrizations.weight.original0": "weight_g", "parametrizations.weight.original1": "weight_v"}
    for new, old in new_names.items():
        weights = {key.replace(new, old): value for key, value in weights.items()}
    return weights


# name: class, configuration, seed, note, function that changes the files to the old format
LEGACY = {
    "wav2vec2_legacy_names": (
        "Wav2Vec2ForCTC",
        WAV2VEC2,
        8,
        "weight_g and weight_v in place of parametrizations.weight.original0 and 1",
        wav2vec2_of_2021,
    ),
}
