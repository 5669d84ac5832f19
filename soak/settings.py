"""Commands to disturb, each with the outputs of an undisturbed run."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Setting:
    """A command that is repeated without changes until it succeeds."""

    name: str
    words: tuple
    outputs: tuple = ("out",)  # paths in its working folder
    processes: int = 1
    downloads: bool = False  # whether it downloads models of the Hub

    @property
    def trains(self):
        return self.words[0] in ("fit", "sweep")


BERT = "--model toys/bert --max-length 16 --learning-rate 1e-2"
TABLE = f"{BERT} --train toys/train.csv --batch-size 16 --epochs 2"


def fit(name, words, every=2, processes=1):
    words = f"fit --output out --resume --checkpoint-every {every} {words}"
    return Setting(name, tuple(words.split()), processes=processes)


def sweep(name, words):
    words = f"sweep --output out --resume --checkpoint-every 2 {words}"
    return Setting(name, tuple(words.split()))


def command(name, words, *outputs):
    return Setting(name, tuple(words.split()), outputs or ("out",))


FITS = (
    fit("dropout and validation", f"{TABLE} --validation toys/validation.csv"),
    fit("best model", f"{TABLE} --validation toys/validation.csv --eval-steps 3 --load-best-model-at-end "
        "--greater-is-better"),
    fit("a checkpoint each step", f"{TABLE} --keep-checkpoints 1", every=1),
    fit("exact packing", f"{TABLE} --packing exact_examples"),
    fit("token budget", f"{TABLE} --packing token_budget --tokens-per-batch 128"),
    fit("automatic lengths", f"{TABLE} --padding auto=4"),
    fit("buckets", f"{TABLE} --padding buckets=8,16"),
    fit("accumulation", f"{BERT} --train toys/train.csv --batch-size 8 --epochs 2 --gradient-accumulation-steps 3"),
    fit("stream of gzip", f"{TABLE} --train toys/train.jsonl.gz --shuffle-buffer 16 --steps-per-epoch 4".replace(
        "--train toys/train.csv ", "")),
    fit("TFRecord", f"{BERT} --train toys/train.tfrecord --batch-size 16 --epochs 2"),
    fit("mesh data=2", f"{BERT} --train toys/train.csv --batch-size 8 --epochs 2 --mesh data=2"),
    fit("mesh fsdp=2", f"{BERT} --train toys/train.csv --batch-size 8 --epochs 2 --mesh fsdp=2"),
    fit("masked-lm", "--task masked-lm --model toys/bert_mlm --train toys/corpus.txt --max-length 16 --batch-size 16 "
        "--epochs 2"),
    fit("whole words", "--task masked-lm --whole-words --model toys/bert_mlm --train toys/corpus.txt --max-length 16 "
        "--batch-size 16 --epochs 2"),
    fit("causal-lm", "--task causal-lm --model toys/gpt2 --train toys/corpus.txt --max-length 16 --batch-size 4 "
        "--epochs 2"),
    fit("token-classification", "--task token-classification --model toys/bert --train toys/train.conll "
        "--max-length 16 --batch-size 16 --epochs 2"),
    fit("float16", f"{TABLE} --dtype float16"),
    fit("bfloat16 of a sharded model", f"{TABLE} --dtype bfloat16".replace("toys/bert", "toys/bert_shards")),
    fit("images", "--task image-classification --model toys/vit --train toys/images --batch-size 8 --epochs 2 "
        "--color-jitter 0.1"),
    fit("remat and warm-up", f"{TABLE} --remat layers --warmup-steps 3 --validation-split 0.2"),
    fit("bad rows", f"{BERT} --train toys/bad_rows.csv --batch-size 16 --epochs 2 --bad-rows skip:5"),
    fit("two files", f"{BERT} --train toys/train.csv toys/more.csv --batch-size 16 --epochs 2"),
    fit("steps per epoch", f"{TABLE} --steps-per-epoch 3"),
    fit("skip what is not finite", "--model toys/bert --train toys/overflow.csv --label-column label --head regression "
        "--max-length 8 --batch-size 4 --epochs 2 --on-non-finite skip"),
    fit("regression", f"{BERT} --train toys/scores.csv --head regression --batch-size 16 --epochs 2"),
    fit("folds", f"{BERT} --train toys/train.csv --batch-size 16 --epochs 1 --folds 3"),
    fit("averaged weights", f"{TABLE} --ema 0.9 --validation toys/validation.csv"),
    fit("early stop", f"{TABLE} --validation toys/validation.csv --eval-steps 2 --load-best-model-at-end "
        "--early-stopping-patience 1 --early-stopping-threshold 10"),
    fit("adapter", f"{TABLE} --adapter lora --lora-rank 2 --lora-dropout 0.1"),
    fit("generated texts", "--task text-to-text --model toys/bart --from-config --train toys/pairs.csv "
        "--validation toys/few_pairs.csv --predict-with-generate --num-beams 2 --max-length 16 --max-target-length 6 "
        "--batch-size 16 --epochs 2 --load-best-model-at-end"),
    fit("grown model", "--task masked-lm --model toys/bert_mlm --train toys/corpus.txt --max-length 16 --batch-size 16 "
        "--grow toys/stages.yaml"),
    fit("speech", "--task speech-ctc --model toys/wav2vec2 --from-config --train toys/speech.csv --batch-size 4 "
        "--epochs 2 --learning-rate 1e-3"),
    fit("colours", "--task colorization --model toys/colorizer --from-config --train toys/images --batch-size 8 "
        "--epochs 2"),
    sweep("sweep", f"{BERT.replace('--learning-rate 1e-2', '')} --train toys/train.csv --batch-size 16 --epochs 1 "
          "--validation toys/validation.csv --grid learning-rate=1e-2,2e-2"),
)

DOWNLOADS = (
    dataclasses.replace(fit("model of the Hub", TABLE.replace("--model toys/bert", "--model org/bert")),
                        outputs=("out", "hub"), downloads=True),
    dataclasses.replace(fit("shards of the Hub", TABLE.replace("--model toys/bert", "--model org/bert_shards")),
                        outputs=("out", "hub"), downloads=True),
)

GROUPS = (
    fit("two processes, data", f"{BERT} --train toys/train.csv --batch-size 8 --epochs 2 --mesh data=2", processes=2),
    fit("two processes, fsdp", f"{BERT} --train toys/train.csv --batch-size 8 --epochs 2 --mesh fsdp=2 "
        "--validation toys/validation.csv", processes=2),
    fit("two processes, a checkpoint each step", f"{BERT} --train toys/train.csv --batch-size 8 --epochs 2 "
        "--mesh fsdp=2 --keep-checkpoints 1", every=1, processes=2),
    fit("four processes", f"{BERT} --train toys/train.csv --batch-size 4 --epochs 1 --mesh data=2,fsdp=2", processes=4),
)

SHARDS = command(
    "TFRecord shards",
    "tfrecord write --input toys/train.csv --int64-columns label --shards 3 --output out-{shard}.tfrecord",
    *(f"out-{i}.tfrecord{end}" for i in range(3) for end in ("", ".index")))
COMMANDS = (
    command("predict", "predict --model toys/tuned --data toys/validation.csv --output out.jsonl", "out.jsonl"),
    command("predict a table", "predict --model toys/tuned --data toys/validation.csv --output out.csv", "out.csv"),
    command("predict with adapters", "predict --model toys/bert --adapter toys/adapter --adapter other=toys/other_adapter "
            "--data toys/validation.csv --output out.jsonl", "out-adapter.jsonl", "out-other.jsonl"),
    command("tokenize", "tokenize --tokenizer toys/bert --input toys/train.csv --output out.jsonl", "out.jsonl"),
    command("tfrecord write", "tfrecord write --input toys/train.csv --int64-columns label --output out.tfrecord",
            "out.tfrecord", "out.tfrecord.index"),
    SHARDS,
)

# More toys, and the commands that make them from the first ones.
MORE_TOYS = {
    "train.tfrecord": "tfrecord write --input toys/train.csv --int64-columns label --output train.tfrecord",
    "tuned": f"fit {TABLE} --output tuned",
    "adapter": f"fit {TABLE} --adapter lora --lora-rank 2 --output adapter",
    "other_adapter": f"fit {TABLE} --adapter lora --lora-rank 4 --seed 2 --output other_adapter",
}
