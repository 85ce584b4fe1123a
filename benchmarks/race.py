"""One problem on one data set of `benchmarks.solvers`: everybody's fits, timed and judged."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.judge import Problem, Try, best, gap, merit
from benchmarks.peers import OURS, PEERS, Peer, Setting, label
from benchmarks.workers import Failed, Stopped, Workers

__all__ = ["CERTIFIED", "DEFAULTS", "NOT_TRIED", "Race", "one_pass"]

REPEATS = 3
SHORT = 2.0  # seconds: longer fits are timed once
HOPELESS = 5.0  # times the best peer's time: a peer this slow is not tried at tighter tolerances,
START = 2.0  # ... and stopped in the middle of a fit, but not before so many seconds
ROUNDING = 1e-8  # by which a bound may seem to be beaten
REFEREES = ("LinearSVC dual", "LinearSVC primal", "SVC")
CERTIFIED = "our certified bound"
SEEN = "best value seen"
DEFAULTS = "defaults"
NOT_TRIED = "not tried, stopped at a smaller C"


@dataclass
class Race:
    """The fits of everybody on one problem.

    `hopeless` names the peers, with their threads, that were stopped at a smaller C; `limit` is
    the number of seconds after which a fit is stopped.
    """

    workers: Workers
    folder: str
    X: Any
    y: Any
    problem: Problem
    hopeless: set[tuple[str, int]]
    limit: float

    def __post_init__(self) -> None:
        self.tries: list[Try] = []
        self.failures: dict[str, str] = {}
        self.judged_by = CERTIFIED

    def run(self) -> None:
        """Find the reference, then let the peers climb their ladders, and then us."""
        self.reference = self._reference()
        for peer in (*PEERS, *OURS):
            try:
                for threads in peer.threads:
                    self._climb(peer, threads)
                self._at_defaults(peer)
            except Failed as reason:
                self.failures[peer.name] = str(reason)
        if self.judged_by == SEEN:
            self.reference = self._best_seen(self.tries)

    def report(self) -> dict[str, Any]:
        """Everything there is to keep."""
        return {
            "problem": asdict(self.problem),
            "reference": self.reference,
            "judged_by": self.judged_by,
            "limit": self.limit,
            "tries": [asdict(one) for one in self.tries],
            "failures": self.failures,
        }

    def our_seconds(self) -> float:
        """Time only our float64 fit, to the first gap, in one thread."""
        ours = OURS[1]
        return self._try(ours, ours.ladders[self.problem.kind][0], 1).seconds

    def _reference(self) -> float:
        """Return our tightest certified bound, or the best value of the referees if there is none.

        The bound is the dual objective and, of a hard margin, the best possible margin; it must
        be ten times as close as the smallest gap that it is to measure.
        """
        try:
            outcome, w, b = self._fit(OURS[1], {"tol": 1e-6}, 1, self.limit)
            bound = float(outcome["margin_upper" if self.problem.hard else "dual"])
            left = gap(self.problem, merit(self.problem, self.X, self.y, w, b), bound)
            if -ROUNDING <= left <= 0.1 * self.problem.gaps[-1]:
                return bound
            self.failures["reference"] = f"our bound is {left:.1e} from our own value"
        except (Stopped, Failed) as reason:
            self.failures["reference"] = f"{type(reason).__name__} {reason}"
        self.judged_by = SEEN
        referees = [peer for peer in PEERS if peer.name in REFEREES]
        rungs = [(peer, peer.ladders.get(self.problem.kind, [])) for peer in referees]
        return self._best_seen([self._try(peer, ladder[-1], 1) for peer, ladder in rungs if ladder])

    def _best_seen(self, tries: Sequence[Try]) -> float:
        values = [one.merit for one in tries if one.merit is not None]
        choose = max if self.problem.hard else min
        return choose(values, default=np.nan)

    def _climb(self, peer: Peer, threads: int) -> None:
        """Try the settings of a peer, the loosest first, until it has reached every gap."""
        ladder = peer.ladders.get(self.problem.kind, [])
        if ladder and (peer.name, threads) in self.hopeless:
            self.tries.append(Try(peer.name, threads, NOT_TRIED, self.limit))
            return
        wanted = list(self.problem.gaps)
        for setting in ladder:
            best_time = self._best_time(wanted[0], threads) if peer in PEERS else np.inf
            one = self._try(peer, setting, threads, best_time)
            self.tries.append(one)
            if one.merit is None or one.seconds > HOPELESS * best_time:
                return
            while wanted and gap(self.problem, one.merit, self.reference) <= wanted[0]:
                wanted.pop(0)
            if not wanted:
                return

    def _at_defaults(self, peer: Peer) -> None:
        setting = peer.defaults.get(self.problem.kind)
        stopped = any(one.peer == peer.name and one.merit is None for one in self.tries)
        if setting is not None and not stopped:
            self.tries.append(self._try(peer, setting, peer.threads[0], named=DEFAULTS))

    def _best_time(self, wanted: float, threads: int) -> float:
        """Return the seconds of the fastest peer so far with no more threads."""
        names = {peer.name for peer in PEERS}
        rivals = [one for one in self.tries if one.threads <= threads and one.peer in names]
        fastest = best(self.problem, self.reference, rivals, wanted)
        return np.inf if fastest is None else fastest.seconds

    def _try(
        self,
        peer: Peer,
        setting: Setting,
        threads: int,
        best_time: float = np.inf,
        named: str = "",
    ) -> Try:
        """Time a fit, again if it is short and not hopeless, and judge the last hyperplane."""
        named = named or label(setting)
        limit = min(self.limit, max(START, HOPELESS * best_time))
        seconds = np.inf
        try:
            for _ in range(REPEATS):
                outcome, w, b = self._fit(peer, setting, threads, limit)
                seconds = min(seconds, outcome["seconds"])
                if seconds > min(SHORT, HOPELESS * best_time):
                    break
        except Stopped:
            return Try(peer.name, threads, named, limit)
        value = merit(self.problem, self.X, self.y, w, b)
        passes, warned = outcome.get("passes"), outcome["warned"]
        return Try(peer.name, threads, named, seconds, value, passes, warned)

    def _fit(
        self, peer: Peer, setting: Setting, threads: int, limit: float
    ) -> tuple[dict[str, Any], Any, float]:
        return self.workers.fit(self.folder, self.problem, peer, setting, threads, limit)


def one_pass(X: Any) -> float:
    """Seconds of one product ``X @ w``, the best of several."""
    w = np.ones(X.shape[1], dtype=X.dtype)
    best_time = np.inf
    for _ in range(5):
        start = time.perf_counter()
        X @ w
        best_time = min(best_time, time.perf_counter() - start)
    return best_time
