"""The types of the keywords of fit() and the other functions, by which mypy and editors check and complete them.

tools/option_types.py has written this file from the options of the command. A wrapper of a function has its keywords:

    from typing import Unpack
    from portatune.options import FitOptions

    def train(**options: Unpack[FitOptions]) -> portatune.Run:
        return portatune.fit("tiny", "train.csv", **options)

None is no value. Options with a value of their own, such as enums of transformers, take this value or its text.
"""

import enum
import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

from portatune._tasks import Task

Text = str | float | os.PathLike[str] | enum.Enum
Texts = Text | Sequence[Text] | Mapping[str, Text]


class _Shared1(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), evaluate(), predict(), load(), generate(), plan(),
    train_tokenizer() and parity()."""

    activation_checkpointing_kwargs: Mapping[str, object] | str | None
    attention_mask: Text | None
    auto_find_batch_size: Text | None
    average_tokens_across_devices: Text | None
    average_tokens_in_batch: Text | None
    batch_eval_metrics: object | None
    bf16_full_eval: Text | None
    dataloader_drop_last: Text | None
    dataloader_in_order: object | None
    dataloader_multiprocessing_context: object | None
    dataloader_num_workers: object | None
    dataloader_persistent_workers: object | None
    dataloader_pin_memory: object | None
    dataloader_prefetch_factor: object | None
    debug: Text | None
    do_eval: Text | None
    do_predict: Text | None
    do_train: Text | None
    enable_jit_checkpoint: object | None
    eval_accumulation_steps: object | None
    eval_do_concat_batches: object | None
    eval_use_gather_object: object | None
    fp16_full_eval: Text | None
    fsdp: Text | None
    full_determinism: object | None
    gradient_checkpointing_kwargs: Mapping[str, object] | str | None
    half_precision_backend: object | None
    ignore_data_skip: Text | None
    ignore_mismatched_sizes: Text | None
    ignore_pad_token_for_loss: Text | None
    include_num_input_tokens_seen: Text | None
    jit_mode_eval: object | None
    length_column_name: object | None
    load_in: Text | None
    local_rank: Text | None
    log_on_each_node: object | None
    logging_strategy: Text | None
    low_cpu_mem_usage: object | None
    model_revision: Text | None
    n_gpu: Text | None
    neftune_noise_alpha: Text | None
    optim_target_modules: Text | None
    overwrite_cache: object | None
    past_index: Text | None
    prediction_loss_only: Text | None
    preprocessing_num_workers: object | None
    push_to_hub: Text | None
    quiet: bool | None
    recipe: Text | None
    remove_unused_columns: Text | None
    report_to: Text | None
    restore_callback_states_from_checkpoint: object | None
    save_on_each_node: Text | None
    save_only_model: Text | None
    save_safetensors: Text | None
    skip_memory_metrics: object | None
    streaming: object | None
    text_column: Text | None
    text_column_name: Text | None
    torch_compile: Text | None
    tpu_metrics_debug: Text | None
    train_sampling_strategy: Text | None
    trust_remote_code: Text | None
    use_auth_token: Text | None
    use_cache: Text | None
    use_fast_tokenizer: object | None
    use_ipex: Text | None
    use_legacy_prediction_loop: Text | None
    use_liger_kernel: Text | None
    use_mps_device: Text | None
    use_peft: Text | None
    verbose: object | None


class _Shared2(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), evaluate(), predict(), load(), generate(), plan() and
    parity()."""

    adapter: Text | None
    base_model: Text | None
    bf16: bool | None
    block_size: int | None
    bs: int | None
    cache_folder: Text | None
    chat_template: Text | None
    chat_template_kwargs: Mapping[str, object] | str | None
    compiled: Text | None
    cudnn_attention: bool | None
    device: Text | None
    dtype: Text | None
    fp16: bool | None
    gpu: bool | None
    gpu_allocator: Text | None
    gpu_memory_fraction: float | None
    gpu_preallocate: bool | None
    max_len: int | None
    max_length: int | None
    max_source_length: int | None
    mesh: Text | None
    messages_column: Text | None
    micro_batch_size: int | None
    model_max_length: int | None
    model_name_or_path: Text | None
    no_cache: bool | None
    no_cuda: bool | None
    no_gpu_preallocate: bool | None
    no_kernels: bool | None
    num_beams: int | None
    per_gpu_train_batch_size: int | None
    plugin: Text | None
    precision: Text | None
    sequence_len: int | None
    sequence_length: int | None
    temperature: Texts | None
    torch_dtype: Text | None
    train_batch_size: int | None
    use_cpu: bool | None


class _Shared3(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), evaluate(), predict(), generate(), plan() and parity()."""

    batch_size: int | None


class _Shared4(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), evaluate(), predict(), load(), plan() and parity()."""

    as_messages: bool | None
    audio_column: Text | None
    audio_column_name: Text | None
    bad_rows: Text | None
    chat_date: Text | None
    column_names: Texts | None
    completion_column: Text | None
    compression_ratio_threshold: float | None
    context_column: Text | None
    delimiter: Text | None
    disable_progress: bool | None
    disable_tqdm: bool | None
    doc_stride: int | None
    ending_columns: Texts | None
    endings_column: Text | None
    forced_bos_token: Text | None
    generation_max_length: int | None
    generation_task: Text | None
    group_by_length: bool | None
    header_column: Text | None
    image_column: Text | None
    image_column_name: Text | None
    input_column: Text | None
    language: Text | None
    logprob_threshold: float | None
    match_ranks: bool | None
    max_answer_length: int | None
    max_duration_in_seconds: float | None
    max_duration_seconds: float | None
    max_file_seconds: float | None
    max_length_seconds: float | None
    max_pixels: int | None
    max_seq_length: int | None
    max_target_length: int | None
    mlm_probability: float | None
    n_best_size: int | None
    next_sentence: bool | None
    no_attention_mask: bool | None
    no_speech_threshold: float | None
    null_score_diff_threshold: float | None
    pad_to_max_length: bool | None
    padding: Text | None
    per_device_eval_batch_size: int | None
    prompt_column: Text | None
    reduced_decode: bool | None
    rename_columns: Texts | None
    sampling_seed: int | None
    sep: Text | None
    separator: Text | None
    source_lang: Text | None
    source_prefix: Text | None
    target_lang: Text | None
    text_pair_column: Text | None
    tokens_column: Text | None
    val_max_target_length: int | None
    version_2_with_negative: bool | None
    whole_words: bool | None


class _Shared5(TypedDict, total=False):
    """Keywords of cross_validate(), sweep(), evaluate(), predict(), load(), plan() and parity()."""

    task: str | Task | None


class _Shared6(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), predict(), load(), plan() and parity()."""

    test_file: Texts | None


class _Shared7(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), evaluate(), plan() and parity()."""

    chars_to_ignore: Text | None
    eval_metrics: Texts | None
    label_column: Text | None
    label_column_name: Text | None
    label_columns: Texts | None
    label_separator: Text | None
    mask_time_length: int | None
    mask_time_prob: float | None
    max_eval_samples: int | None
    metrics: Texts | None
    min_duration_in_seconds: float | None
    min_duration_seconds: float | None
    predict_with_generate: bool | None
    summary_column: Text | None
    tags_column: Text | None
    target_column: Text | None
    use_stemmer: bool | None
    validation_file: Texts | None


class _Shared8(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), generate(), plan() and parity()."""

    seed: int | None


class _Shared9(TypedDict, total=False):
    """Keywords of fit(), Trainer, cross_validate(), sweep(), plan() and parity()."""

    activation_checkpointing: bool | None
    adam_beta1: float | None
    adam_beta2: float | None
    adam_epsilon: float | None
    allow_different_bits: bool | None
    allow_new_weights: bool | None
    changed_data: Text | None
    checkpoint_every: float | None
    class_weights: Texts | None
    color_jitter: float | None
    config_overrides: Texts | None
    ctc_loss_reduction: Text | None
    decay_type: Text | None
    dev: Texts | None
    dev_file: Texts | None
    dropout: float | None
    early_stopping_patience: int | None
    early_stopping_threshold: float | None
    ema: float | None
    epochs: int | None
    eval_batch_size: int | None
    eval_data: Texts | None
    eval_delay: float | None
    eval_file: Texts | None
    eval_on_start: bool | None
    eval_steps: float | None
    eval_strategy: Text | None
    evaluation_strategy: Text | None
    focal_gamma: float | None
    freeze: Texts | None
    freeze_feature_encoder: bool | None
    from_config: bool | None
    from_scratch: bool | None
    grad_accum: int | None
    gradient_accumulation_steps: int | None
    gradient_checkpointing: bool | None
    greater_is_better: bool | None
    group_column: Text | None
    gumbel_temperature_decay: float | None
    head: Text | None
    iters: int | None
    keep_checkpoints: int | None
    label_smoothing_factor: float | None
    labels: Texts | None
    layer_decay: float | None
    learning_rate: float | None
    load_best_model_at_end: bool | None
    logging_first_step: bool | None
    logging_steps: float | None
    lora_alpha: float | None
    lora_alpha_pattern: Text | None
    lora_bias: Text | None
    lora_dropout: float | None
    lora_r: int | None
    lora_rank: int | None
    lora_rank_pattern: Text | None
    lora_target_modules: Texts | None
    lr: float | None
    lr_cooldown: int | None
    lr_decay_steps: int | None
    lr_decay_type: Text | None
    lr_end: float | None
    lr_factor: float | None
    lr_min: float | None
    lr_min_ratio: float | None
    lr_mode: Text | None
    lr_num_cycles: float | None
    lr_patience: int | None
    lr_power: float | None
    lr_scheduler: Text | None
    lr_scheduler_kwargs: Mapping[str, object] | str | None
    lr_scheduler_type: Text | None
    lr_stable_steps: int | None
    lr_threshold: float | None
    lr_threshold_mode: Text | None
    lr_timescale: int | None
    max_concurrent_runs: int | None
    max_grad_norm: float | None
    max_grad_value: float | None
    max_gumbel_temperature: float | None
    max_skipped_in_a_row: int | None
    max_skipped_steps: int | None
    max_steps: int | None
    max_train_samples: int | None
    metric_for_best_model: Text | None
    min_gumbel_temperature: float | None
    min_lr_rate: float | None
    min_lr_ratio: float | None
    modules_to_save: Texts | None
    momentum: float | None
    n_epochs: int | None
    nesterov: bool | None
    new_vocabulary: bool | None
    no_eval_on_start: bool | None
    no_flip: bool | None
    no_greater_is_better: bool | None
    no_load_best_model_at_end: bool | None
    no_random_crop: bool | None
    num_cycles: float | None
    num_decay_steps: int | None
    num_epochs: int | None
    num_stable_steps: int | None
    num_steps: int | None
    num_train_epochs: int | None
    on_non_finite: Text | None
    optim: Text | None
    optim_args: Text | None
    output_dir: Text | None
    overwrite_output: bool | None
    overwrite_output_dir: bool | None
    packing: Text | None
    param_group: Texts | None
    per_device_train_batch_size: int | None
    positive_weights: Texts | None
    power: float | None
    problem_type: Text | None
    remat: Text | None
    report_examples: int | None
    resume: bool | None
    resume_from_checkpoint: Text | None
    rmsprop_alpha: float | None
    rmsprop_centered: bool | None
    save_steps: float | None
    save_strategy: Text | None
    save_total_limit: int | None
    shuffle_buffer: int | None
    steps_per_epoch: int | None
    test: Texts | None
    timescale: int | None
    tokens_per_batch: int | None
    train_data: Texts | None
    train_file: Texts | None
    use_dora: bool | None
    use_rslora: bool | None
    val_set_size: float | None
    valid: Texts | None
    validation_split: float | None
    warmup_ratio: float | None
    warmup_steps: float | None
    weight_column: Text | None
    weight_decay: float | None
    xvector: bool | None


class _Shared10(TypedDict, total=False):
    """Keywords of cross_validate(), plan() and parity()."""

    validation: Texts | None


class _Shared11(TypedDict, total=False):
    """Keywords of evaluate(), predict() and load()."""

    format: Text | None


class _Shared12(TypedDict, total=False):
    """Keywords of predict(), load() and generate()."""

    top_k: int | None


class _Shared13(TypedDict, total=False):
    """Keywords of generate() and parity()."""

    output: Text | None


class _Shared14(TypedDict, total=False):
    """Keywords of predict() and load()."""

    candidate_labels: Texts | None
    color_seed: int | None
    colored_column: Text | None
    colored_images: Text | None
    condition_on_prev_tokens: bool | None
    condition_on_previous_text: bool | None
    hypothesis_template: Text | None
    keep_columns: Texts | None
    multi_label: bool | None
    no_normalize: bool | None
    normalize: bool | None
    pooling: Text | None
    prompt: Text | None
    prompt_condition_type: Text | None
    return_timestamps: bool | None


class FitOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared6, _Shared7, _Shared8, _Shared9, total=False):
    """Keywords of fit() and Trainer."""


class CrossValidateOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared5, _Shared6, _Shared7, _Shared8, _Shared9,
                           _Shared10, total=False):
    """Keywords of cross_validate()."""


class SweepOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared5, _Shared6, _Shared7, _Shared8, _Shared9,
                   total=False):
    """Keywords of sweep()."""

    halving: bool | None
    halving_factor: float | None
    keep_models: bool | None
    random: float | None
    seeds: float | None


class EvaluateOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared5, _Shared7, _Shared11, total=False):
    """Keywords of evaluate()."""


class PredictOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared5, _Shared6, _Shared11, _Shared12, _Shared14,
                     total=False):
    """Keywords of predict()."""

    max_predict_samples: float | None
    text: Texts | None


class LoadOptions(_Shared1, _Shared2, _Shared4, _Shared5, _Shared6, _Shared11, _Shared12, _Shared14, total=False):
    """Keywords of load()."""


class GenerateOptions(_Shared1, _Shared2, _Shared3, _Shared8, _Shared12, _Shared13, total=False):
    """Keywords of generate()."""

    bad_words_ids: Texts | None
    begin_suppress_tokens: Texts | None
    bos_token_id: float | None
    chat: bool | None
    decoder_start_token_id: float | None
    do_sample: bool | None
    early_stopping: Text | None
    eos_token_id: Texts | None
    forced_bos_token_id: float | None
    forced_eos_token_id: Texts | None
    length_penalty: float | None
    max_new_tokens: float | None
    min_length: float | None
    min_new_tokens: float | None
    no_do_sample: bool | None
    no_repeat_ngram_size: float | None
    num_return_sequences: float | None
    pad_token_id: float | None
    repetition_penalty: float | None
    stop_string: Texts | None
    stop_strings: Texts | None
    suppress_tokens: Texts | None
    system: Text | None
    top_p: float | None


class PlanOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared5, _Shared6, _Shared7, _Shared8, _Shared9, _Shared10,
                  total=False):
    """Keywords of plan()."""

    largest_batch: bool | None
    save: Text | None
    time_limit: float | None


class TokenizerOptions(_Shared1, total=False):
    """Keywords of train_tokenizer()."""

    limit_alphabet: float | None
    lowercase: bool | None
    min_frequency: float | None
    special_tokens: Texts | None
    type: Text | None
    vocab_size: float | None


class ParityOptions(_Shared1, _Shared2, _Shared3, _Shared4, _Shared5, _Shared6, _Shared7, _Shared8, _Shared9, _Shared10,
                    _Shared13, total=False):
    """Keywords of parity()."""

    against: Text | None
    dump: Text | None
    every: float | None
    model: Text | None
    steps: float | None
    tolerance: Text | None
    train: Texts | None
