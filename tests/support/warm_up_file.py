"""Writes the Parquet file that the JAR bundles for its warm-up.

Run it as `python tests/support/warm_up_file.py`. The file has two row groups: `number` is INT64
with bounds and bloom filters, `text` is dictionary encoded.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import samples

ROOT = Path(__file__).parents[2]
FILE = ROOT / "jvm/spark/src/main/resources/io/sbbf/spark/session/warm-up.parquet"
NUMBERS = [row * 7919 for row in range(64)]


def main() -> None:
    columns = {"number": pa.array(NUMBERS, pa.int64()), "text": [str(n) for n in NUMBERS]}
    samples.write(FILE, columns, 32, ["number", "text"], use_dictionary=["text"])


if __name__ == "__main__":
    main()
