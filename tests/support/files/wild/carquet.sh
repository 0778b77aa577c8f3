#!/usr/bin/env bash
# carquet.sh FILE: writes by carquet 0.7.2 (PyPI), with filters of both columns.
#
# The package has the option for filters in C alone. Each filter has 119,840 bytes, and so is no power of two.
set -euo pipefail
file=$(realpath -m "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check carquet==0.7.2 pyarrow==26.0.1
"$folder/venv/bin/python" - "$file" <<'PYTHON'
import sys

import carquet
import pyarrow as pa
from carquet import _ffi

library = _ffi.get_lib()
set_defaults = library.carquet_writer_options_init


def set_defaults_and_filters(options) -> None:
    set_defaults(options)
    options._obj.write_bloom_filters = True


library.carquet_writer_options_init = set_defaults_and_filters
ids = [2 * (row * 7919 % 2000) for row in range(2000)]
carquet.write_table(pa.table({"id": ids, "name": [f"n{id}" for id in ids]}), sys.argv[1])
PYTHON
