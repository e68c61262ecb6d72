"""Runs Python in processes of its own, as users do, and measures the memory they take."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Linux counts the memory of whoever starts a process towards the peak of that process: so somebody small does.
_START_SMALL = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run_python(*arguments: object) -> str:
    """Run to the end, where `benchmarks` can be imported, and return what is printed."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def peak_megabytes(*arguments: object) -> float:
    """Run to the end and return the most memory it had."""
    return int(run_python("-I", "-S", "-c", _START_SMALL, sys.executable, *arguments)) / 1024
