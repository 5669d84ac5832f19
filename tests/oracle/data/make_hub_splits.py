#!/usr/bin/env python3
"""Writes tests/data/hub_splits.json: the configurations, splits and files that `datasets` finds in repositories.

    python3 tests/oracle/data/make_hub_splits.py        needs datasets 5.2

Each case has the files of a repository, the metadata of its README.md (YAML, or nothing), and for each configuration
its splits {name: files, sorted}, and whether it is the default.
"""

import json
import pathlib
import tempfile

import datasets

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"

CASES = {
    "one file": (["data.csv"], ""),
    "a file for each split": (["train.csv", "test.csv", "dev.csv", "README.txt"], ""),
    "names with a keyword": (["my_train_0.csv", "my_train_1.csv", "eval-set.csv"], ""),
    "a keyword inside a word": (["constraint.csv", "latest.csv"], ""),
    "numbered shards": (["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet",
                         "data/unsupervised-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"], ""),
    "folders": (["data/training/a.csv", "data/training/b.csv", "data/val/c.csv", "other.csv"], ""),
    "folders before files": (["train/test.csv", "test/train.csv"], ""),
    "hidden files": ([".hidden/train.csv", "train.csv", "__pycache__/train.csv"], ""),
    "patterns": (["plain/train-0.parquet", "plain/test-0.parquet", "other/train-0.parquet"], """
configs:
- config_name: plain
  data_files:
  - split: train
    path: plain/train-*
  - split: test
    path: plain/test-*
- config_name: other
  default: true
  data_files:
  - split: train
    path: other/*
"""),
    "a list of paths": (["a.csv", "b.csv", "c.csv"], """
configs:
- config_name: default
  data_files: [a.csv, b.csv]
- config_name: last
  data_files: c.csv
"""),
    "a list of paths of a split": (["a.csv", "b.csv", "c/d/e.csv"], """
configs:
- config_name: only
  data_files:
  - split: train
    path: [a.csv, "**/e.csv"]
  - split: fresh
    path: b.csv
"""),
    "folders of configurations": (["en/train.jsonl", "en/test.jsonl", "de/train.jsonl"], """
configs:
- config_name: en
  data_dir: en
- config_name: de
  data_dir: de/
"""),
}


def found(files, metadata):
    """The configurations that datasets finds in a folder with these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text("text,label\n")
        if metadata:
            (root / "README.md").write_text(f"---{metadata}---\n# Data\n")
        by_name, default = configs_of(root)
        configs = []
        for name, config in by_name.items():
            splits = {str(split): sorted(str(pathlib.Path(file).relative_to(root)) for file in set(of_split))
                      for split, of_split in config.data_files.items()}
            configs.append({"name": name, "is_default": name == default or len(by_name) == 1, "splits": splits})
        return configs


def configs_of(root):
    """{name: configuration}, and the name of the default one."""
    module = datasets.load.dataset_module_factory(str(root))
    configs = module.builder_configs_parameters.builder_configs
    if configs is None:
        return {"default": datasets.load_dataset_builder(str(root)).config}, "default"
    for config in configs:
        config._resolve_data_files(base_path=str(root), download_config=datasets.DownloadConfig())
    return {config.name: config for config in configs}, module.builder_configs_parameters.default_config_name


def main():
    cases = [{"name": name, "files": files, "metadata": metadata, "configs": found(files, metadata)}
             for name, (files, metadata) in CASES.items()]
    (DATA / "hub_splits.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
