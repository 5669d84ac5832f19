"""Prints the orders that tests/data_stages/order/shuffle_test.cpp and permutation_test.cpp expect, from the definitions
of Dataset::shuffle and Permutation.

Run: python3 tests/oracle/data/make_shuffle_golden.py
"""

MASK = 2**64 - 1


def splitmix64(seed):
    while True:
        seed = seed + 0x9E3779B97F4A7C15 & MASK
        z = seed
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        yield z ^ z >> 31


def shuffle(items, buffer_size, seed, epoch):
    # The chance that a draw falls into the rejected 2^64 mod n values is below 1e-18 here, so it is left out.
    draws = splitmix64(next(splitmix64(next(splitmix64(seed)) + epoch & MASK)))
    buffer, waiting, order = [], list(items), []
    while waiting or buffer:
        while waiting and len(buffer) < buffer_size:
            buffer.append(waiting.pop(0))
        chosen = next(draws) % len(buffer)
        buffer[chosen], buffer[-1] = buffer[-1], buffer[chosen]
        order.append(buffer.pop())
    return order


def splitmix64_at(seed, index):
    return next(splitmix64(seed + index * 0x9E3779B97F4A7C15 & MASK))


def permutation(size, seed, epoch):
    # Eight rounds of a Feistel network over the smallest even number of bits that holds `size`, at least eight.
    half = max(4, (size.bit_length() + 1) // 2)
    draws = splitmix64(next(splitmix64(next(splitmix64(seed)) + epoch & MASK)))
    keys = [next(draws) for _ in range(8)]

    def encrypt(value):
        left, right = value >> half, value & (1 << half) - 1
        for key in keys:
            left, right = right, left ^ splitmix64_at(key, right) & (1 << half) - 1
        return left << half | right

    def walk(value):
        value = encrypt(value)
        return value if value < size else walk(value)

    return [walk(index) for index in range(size)]


for buffer_size, epoch in ((10, 0), (3, 0), (10, 1)):
    print(f"buffer {buffer_size}, seed 42, epoch {epoch}: {shuffle(range(10), buffer_size, 42, epoch)}")
for size, seed, epoch in ((10, 42, 0), (10, 42, 1), (5, 7, 0)):
    print(f"size {size}, seed {seed}, epoch {epoch}: {permutation(size, seed, epoch)}")
