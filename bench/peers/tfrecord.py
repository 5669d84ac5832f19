"""The TensorFlow side of bench/tfrecord.py: prints the CPU seconds of the fastest pass.

    tfrecord.py read|write tokens|texts|images FILE PASSES
Each of TensorFlow's pools has one thread; CPU seconds are those of all threads.
"""

import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402

BATCH = {"tokens": 256, "texts": 256, "images": 32}


def features_of(kind):
    features = {"label": tf.io.FixedLenFeature([], tf.int64)}
    if kind == "tokens":
        for name in ("input_ids", "attention_mask", "token_type_ids"):
            features[name] = tf.io.FixedLenFeature([128], tf.int64)
    else:
        features["sentence" if kind == "texts" else "image"] = tf.io.FixedLenFeature([], tf.string)
    return features


def read(kind, path):
    features = features_of(kind)
    dataset = tf.data.TFRecordDataset(path).batch(BATCH[kind]).map(lambda records: tf.io.parse_example(records, features))
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    options.threading.max_intra_op_parallelism = 1
    return dataset.with_options(options)


def sum_over(dataset):
    total = 0
    for batch in dataset:
        for values in batch.values():
            total += int(tf.reduce_sum(tf.strings.length(values) if values.dtype == tf.string else values))
    return total


def plain_values(kind, path):
    """Lists of ints and bytes: the input of a program that makes examples."""
    for batch in read(kind, path).as_numpy_iterator():
        columns = {name: values.tolist() for name, values in batch.items()}
        for row in zip(*columns.values()):
            yield dict(zip(columns, row))


def write(examples, path):
    with tf.io.TFRecordWriter(path) as writer:
        for example in examples:
            features = {}
            for name, value in example.items():
                if isinstance(value, bytes):
                    features[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
                else:
                    value = value if isinstance(value, list) else [value]
                    features[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=value))
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def fastest(passes, run):
    seconds = []
    for _ in range(passes):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def main():
    command, kind, path, passes = sys.argv[1:]
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    if command == "read":
        dataset = read(kind, path)

        def consume():
            for _ in dataset:
                pass

        print(fastest(int(passes), consume), sum_over(dataset))
    else:
        examples = list(plain_values(kind, path))
        print(fastest(int(passes), lambda: write(examples, path + ".peer")))


if __name__ == "__main__":
    main()
