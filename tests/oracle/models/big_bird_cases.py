"""Cases of Big Bird and BigBirdPegasus for make_model_cases.py, with attention by blocks in texts of more than 9 blocks."""

from seq2seq_cases import with_final_bias

BIGBIRD = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 44,
    "type_vocab_size": 2,
    "block_size": 4,
    "num_random_blocks": 2,
}
BIGBIRD_PEGASUS = {
    "d_model": 24,
    "num_hidden_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 36,
    "vocab_size": 100,
    "max_position_embeddings": 44,
    "block_size": 4,
    "num_random_blocks": 2,
}
SMALL_BIGBIRD_PEGASUS = BIGBIRD_PEGASUS | {"num_hidden_layers": 1, "decoder_layers": 1}
CLASSES = {"problem_type": "single_label_classification", "num_labels": 3}

CASES = {
    "bigbird_softmax": ("BigBirdForSequenceClassification", BIGBIRD | CLASSES),
    "bigbird_token": ("BigBirdForTokenClassification", BIGBIRD | {"num_labels": 5, "attention_type": "original_full"}),
    "bigbird_qa": ("BigBirdForQuestionAnswering", BIGBIRD),
    "bigbird_choice": ("BigBirdForMultipleChoice", BIGBIRD),
    "bigbird_mlm": ("BigBirdForMaskedLM", BIGBIRD | {"rescale_embeddings": True, "use_bias": False}),
    "bigbird_pretraining": ("BigBirdForPreTraining", BIGBIRD | {"tie_word_embeddings": False}),
    "bigbird_lm": ("BigBirdForCausalLM", BIGBIRD | {"is_decoder": True, "attention_type": "original_full"}),
    "bigbirdsparse_softmax": ("BigBirdForSequenceClassification", BIGBIRD | CLASSES),
    "bigbirdpegasus_lm": ("BigBirdPegasusForConditionalGeneration", BIGBIRD_PEGASUS | {"use_bias": True, "scale_embedding": False}),
    "bigbirdpegasus_softmax": ("BigBirdPegasusForSequenceClassification", SMALL_BIGBIRD_PEGASUS | CLASSES),
    "bigbirdpegasus_qa": (
        "BigBirdPegasusForQuestionAnswering",
        SMALL_BIGBIRD_PEGASUS | {"attention_type": "original_full"},
    ),
    "bigbirdpegasussparse_lm": (
        "BigBirdPegasusForConditionalGeneration",
        BIGBIRD_PEGASUS | {"scale_embedding": False, "activation_function": "relu"},
    ),
}

# Tokens of each row for cases with other lengths, by the beginnings of their names.
LENGTHS = {"bigbirdsparse": (40, 33, 22), "bigbirdpegasussparse": (40, 33, 22)}

# Cases whose steps are those of training mode, in which queries see random blocks.
TRAINED = ("bigbirdsparse", "bigbirdpegasussparse")


def with_question(model, inputs):
    """Questions that end with a separator; the last row has none."""
    separator, ids = model.config.sep_token_id, inputs["input_ids"]
    ids[ids == separator] = separator + 1
    ids[0, 2] = ids[1, 1] = ids[1, 4] = separator


def with_faint_words(model, inputs):
    """A decoder whose tokens depend on more than the token before, and a bias of the logits."""
    model.model.shared.weight.data.mul_(0.3)
    with_final_bias(model, inputs)


CHANGES = {
    "bigbird_qa": with_question,
    "bigbirdpegasus_lm": with_faint_words,
    "bigbirdpegasussparse_lm": with_faint_words,
}
