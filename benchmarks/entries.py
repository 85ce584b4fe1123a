"""What `benchmarks.solvers` has kept of a race, and what it says about us and our rivals."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.judge import Problem, Try, best, gap
from benchmarks.peers import OURS
from benchmarks.race import DEFAULTS, NOT_TRIED

__all__ = ["Entry", "Rival", "spent"]

OUR_NAMES = frozenset(peer.name for peer in OURS)


@dataclass(frozen=True)
class Rival:
    """The fastest peer; or, where all who did not give up were stopped, how long that took."""

    seconds: float
    name: str

    def __str__(self) -> str:
        return f"{spent(self.seconds)} {self.name}" if self.name else f">{spent(self.seconds)}"


@dataclass(frozen=True)
class Entry:
    """The fits of everybody on one problem and one data set, with the reference they are judged by.

    `passes` are the seconds of one product ``X @ w``, by dtype.
    """

    data: str
    passes: Mapping[str, float]
    problem: Problem
    reference: float
    judged_by: str
    limit: float
    tries: tuple[Try, ...]
    failures: Mapping[str, str]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "Entry":
        """Read what was stored as JSON."""
        problem = Problem(**stored["problem"])
        tries = tuple(Try(**one) for one in stored["tries"])
        return cls(**{**stored, "problem": problem, "tries": tries})

    def gap(self, one: Try) -> float:
        """How far from the best a fit was."""
        return gap(self.problem, one.merit, self.reference)

    def fastest(self, tries: Iterable[Try], wanted: float) -> Try | None:
        """Return the fastest of the fits that reached a gap."""
        return best(self.problem, self.reference, tries, wanted)

    def ours(self, wanted: float, dtype: str, threads: int) -> Try | None:
        """Return our fit that reached the gap."""
        name = f"maxmargin {dtype}"
        return self.fastest(
            (one for one in self.tries if (one.peer, one.threads) == (name, threads)), wanted
        )

    def rival(self, wanted: float, threads: int) -> Rival | None:
        """Return the fastest peer with at most so many threads, each at its best setting."""
        peers = [one for one in self.tries if one.peer not in OUR_NAMES and one.threads <= threads]
        fastest = self.fastest(peers, wanted)
        if fastest is not None:
            return Rival(fastest.seconds, f"{fastest.peer} ({fastest.setting})")
        stopped = [one.seconds for one in peers if one.merit is None]
        return Rival(min(stopped), "") if stopped else None

    def ratio(self, wanted: float, dtype: str, threads: int) -> float | None:
        """How many times faster we are than the rival; 0 if we fail, None if both do."""
        rival, ours = self.rival(wanted, threads), self.ours(wanted, dtype, threads)
        if rival is None:
            return None
        return 0.0 if ours is None else rival.seconds / ours.seconds

    def at_defaults(self, peer: str) -> Try | None:
        """Return the fit of a peer at its defaults."""
        return next(
            (one for one in self.tries if (one.peer, one.setting) == (peer, DEFAULTS)), None
        )

    def cell(self, peer: str, threads: int, wanted: float) -> str:
        """Say how long a peer took at its best setting, or how it failed."""
        tries = [one for one in self.tries if (one.peer, one.threads) == (peer, threads)]
        fastest = self.fastest(tries, wanted)
        if fastest is not None:
            return spent(fastest.seconds)
        stopped = [one for one in tries if one.merit is None]
        if stopped:
            star = "*" if stopped[0].setting == NOT_TRIED else ""
            return f">{spent(stopped[0].seconds)}{star}"
        return "–" if not tries else f">{spent(max(one.seconds for one in tries))}"


def spent(seconds: float) -> str:
    """Format a time."""
    if not math.isfinite(seconds):
        return "–"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1.0 else f"{seconds:.3g} s"
