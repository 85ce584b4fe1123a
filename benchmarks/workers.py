"""Child processes that fit for `benchmarks.solvers` and can be stopped in the middle of it."""

import json
import os
import select
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from benchmarks.judge import Problem
from benchmarks.memory import save
from benchmarks.peers import Peer, Setting

__all__ = ["Failed", "Stopped", "Workers"]

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0  # with what comes before and after a fit: reading, converting, compiling


class Stopped(Exception):
    """A fit took longer than it was given."""


class Failed(Exception):
    """A peer is not installed or cannot do what it was asked to."""


class Workers:
    """One process for each number of threads and each folder of packages of its own."""

    def __init__(self) -> None:
        self.processes: dict[tuple[int, Path | None], subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Workers":
        self._temporary = tempfile.TemporaryDirectory()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for key in list(self.processes):
            self._stop(key)
        self._temporary.cleanup()

    def offer(self, name: str, X: Any, y: Any) -> str:
        """Store data where the processes find them; return the folder."""
        folder = Path(self._temporary.name) / name
        folder.mkdir()
        save(folder, X, y)
        return str(folder)

    def fit(
        self,
        folder: str,
        problem: Problem,
        peer: Peer,
        setting: Setting,
        threads: int,
        limit: float,
    ) -> tuple[dict[str, Any], Any, float]:
        """Let a peer fit once; return what it took, w and b.

        Raises
        ------
        Stopped
            After `limit` seconds.
        Failed
            When the peer is not there or refuses.
        """
        key = threads, peer.site
        hyperplane = Path(self._temporary.name) / "hyperplane.npy"
        request = {
            "folder": folder,
            "problem": asdict(problem),
            "peer": peer.name,
            "setting": setting,
            "threads": threads,
            "hyperplane": str(hyperplane),
        }
        process = self._process(key)
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        self._answer(key, PATIENCE)
        outcome = self._answer(key, limit)
        a = np.load(hyperplane)
        return outcome, a[:-1], float(a[-1])

    def _process(self, key: tuple[int, Path | None]) -> "subprocess.Popen[bytes]":
        if key not in self.processes:
            threads, site = key
            environment = dict(os.environ)
            for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
                environment[name] = str(threads)
            environment["OMP_WAIT_POLICY"] = "passive"  # no spinning for a core others have
            if site is not None:
                environment["PYTHONPATH"] = str(site)
            self.processes[key] = subprocess.Popen(
                [sys.executable, "-m", "benchmarks._run_peer"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,  # or select would not see a line that another one brought along
            )
        return self.processes[key]

    def _answer(self, key: tuple[int, Path | None], limit: float) -> dict[str, Any]:
        """Read one line."""
        stream = self.processes[key].stdout
        assert stream is not None
        ready, _, _ = select.select([stream], [], [], limit)
        if not ready:
            self._stop(key)
            raise Stopped
        line = stream.readline()
        if not line:
            self._stop(key)
            raise Failed("the process ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def _stop(self, key: tuple[int, Path | None]) -> None:
        process = self.processes.pop(key)
        process.kill()
        process.communicate()
