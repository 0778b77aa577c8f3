"""What a results file says about the machine."""

import platform
from pathlib import Path


def cpu() -> str:
    models = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{models[0]}, {len(models)} cores" if models else platform.processor()
