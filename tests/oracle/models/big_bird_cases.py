"""Cases of Big Bird for make_model_cases.py, with attention by blocks in texts of more than 9 blocks."""

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
}

# Tokens of each row for cases with other lengths, by the beginnings of their names.
LENGTHS = {"bigbirdsparse": (40, 33, 22)}

# Cases whose steps are those of training mode, in which queries see random blocks.
TRAINED = ("bigbirdsparse",)


def with_question(model, inputs):
    """Questions that end with a separator; the last row has none."""
    separator, ids = model.config.sep_token_id, inputs["input_ids"]
    ids[ids == separator] = separator + 1
    ids[0, 2] = ids[1, 1] = ids[1, 4] = separator


CHANGES = {"bigbird_qa": with_question}
