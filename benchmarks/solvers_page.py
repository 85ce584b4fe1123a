"""The page and the picture of `benchmarks.solvers`, made of the entries it has kept."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.entries import Entry, spent
from benchmarks.judge import geometric_mean
from benchmarks.peers import PEERS
from benchmarks.race import CERTIFIED, HOPELESS
from benchmarks.report import Report, document

__all__ = ["headline", "write"]

PAGE = Path(__file__).with_name("SOLVERS.md")
PICTURE = Path(__file__).with_name("solvers.svg")
PACKAGES = (
    "maxmargin",
    "scikit-learn",
    "numba",
    "numpy",
    "scipy",
    "liblinear-official",
    "cyanure",
    "snapml",
    "skglm",
)
KINDS = ("squared hinge", "hinge", "hinge, free intercept", "hard margin")
COUNTED = 0.02  # seconds that the best peer needs for an entry to count in the figures
COLUMNS = [(dtype, threads) for dtype in ("float32", "float64") for threads in (1, 2)]
LINEAR_SVC = "LinearSVC dual"  # the one that carries the defaults

METHOD = f"""\
Seconds of a public `fit` on data in the form each side likes best, conversion excluded: the best
of 3, one where a fit takes more than 2 s. Each peer runs at the loosest tolerance of a fixed
ladder that reaches the gap. A fit is stopped after 60 s (>60 s; >60 s*: stopped at a smaller C and
not tried again), and earlier when it has taken {HOPELESS:.0f} times as long as the best peer, which
then cannot be the best. The gap is `P / D - 1` of the hyperplane as returned, in float64 on float64
data, D our certified dual bound (at tol 1e-6, verified), and of hard margins `1 - margin / bound`.
Where we have no such bound, the best value that anybody reached takes its place: then the data
bear a †. A peer that did not reach the gap at all shows its slowest try (>12 ms). One pass, the
gap and the passes are those of float32 in one thread. Peers with one thread compete with ours with
one, all with ours with two."""

FIGURES = """\
Ratios of times over the entries in which the best peer needs more than 20 ms: how many times
faster we are. An entry in which all peers were stopped counts with the time after which they were.
"""


def headline(stored: Mapping[str, Any]) -> str:
    """Say in a line how an entry went."""
    if "rows" in stored:
        return ", ".join(f"{rows}: {spent(seconds)}" for rows, seconds in stored["rows"].items())
    entry = Entry.of(stored)
    parts = []
    for wanted in entry.problem.gaps:
        ours = entry.ours(wanted, "float32", 1)
        mine = spent(ours.seconds) if ours else "missed"
        parts.append(f"{wanted:g}: {mine} against {entry.rival(wanted, 1) or 'nobody'}")
    return "; ".join(parts)


def write(kept: Sequence[Mapping[str, Any]]) -> None:
    """Write the page and the picture."""
    entries = [Entry.of(stored) for stored in kept if "problem" in stored]
    rows: Mapping[str, float] = next((stored["rows"] for stored in kept if "rows" in stored), {})
    reports = [figures(entries, rows)]
    for kind in KINDS:
        chosen = [entry for entry in entries if entry.problem.kind == kind]
        if chosen:
            reports += [versus(kind, chosen, wanted) for wanted in chosen[0].problem.gaps]
            reports.append(everybody(kind, chosen))
            if any(kind in peer.defaults for peer in PEERS):
                reports.append(defaults(kind, chosen))
    page = document(
        reports,
        title="Solvers",
        command="python -m benchmarks.solvers --write",
        packages=PACKAGES,
    )
    PAGE.write_text(page + missing(entries), encoding="utf-8")
    draw(entries)


def figures(entries: Sequence[Entry], rows: Mapping[str, float]) -> Report:
    """Everything in a few numbers, next to what is required."""
    header = ["at the first gap", "required", "aim"]
    header += [f"{dtype}, {threads} t" for dtype, threads in COLUMNS]
    report = Report(
        "Figures", f"{METHOD}\n\n{FIGURES}![Ours against the best peer](solvers.svg)", header
    )
    squared = [entry for entry in entries if entry.problem.kind == "squared hinge"]
    hinge = [entry for entry in entries if entry.problem.kind.startswith("hinge")]
    hard = [entry for entry in entries if entry.problem.hard]
    for title, required, aim, chosen, measure in (
        ("squared hinge, best peer, geometric mean", "3 x", "5 x", squared, mean_ratio),
        ("squared hinge, best peer, worst entry", "1 x", "1.5 x", squared, worst_ratio),
        ("squared hinge, LinearSVC at defaults, geometric mean", "8 x", "15 x", squared, svc_ratio),
        ("hinge, best peer, geometric mean", "2 x", "5 x", hinge, mean_ratio),
        ("hinge, ConvergenceWarnings", "0", "", hinge, warned),
        ("hard margin, best peer, geometric mean", "2 x", "4 x", hard, mean_ratio),
    ):
        cells = [measure(chosen, dtype, threads) for dtype, threads in COLUMNS]
        report.rows.append([title, required, aim, *cells])
    if rows:
        each = [seconds / int(count) for count, seconds in rows.items()]
        spread = f"{max(each) / min(each) - 1.0:.0%}"
        title = "covtype, seconds a row, a quarter to all rows: spread"
        report.rows.append([title, "20%", "", "", "", spread, ""])
    return report


def ratios(entries: Sequence[Entry], dtype: str, threads: int) -> list[float]:
    """Ratios that count: those where the best peer needs long enough to be timed well."""
    return [
        ratio
        for entry in entries
        for wanted in entry.problem.gaps[:1]
        for rival in [entry.rival(wanted, threads)]
        for ratio in [entry.ratio(wanted, dtype, threads)]
        if rival is not None and ratio is not None and rival.seconds > COUNTED
    ]


def mean_ratio(entries: Sequence[Entry], dtype: str, threads: int) -> str:
    """Geometric mean, with the number of entries and of those we did not solve."""
    found = ratios(entries, dtype, threads)
    solved = [ratio for ratio in found if ratio > 0.0]
    failed = len(found) - len(solved)
    note = f", {failed} missed" if failed else ""
    return f"{geometric_mean(solved):.1f} x ({len(solved)}{note})"


def worst_ratio(entries: Sequence[Entry], dtype: str, threads: int) -> str:
    """Return the smallest ratio; 0 where we did not reach the gap."""
    return f"{min(ratios(entries, dtype, threads), default=float('nan')):.2f} x"


def svc_ratio(entries: Sequence[Entry], dtype: str, threads: int) -> str:
    """Against `LinearSVC(C=C)` as it comes, over the same entries."""
    found = []
    for entry in entries:
        wanted = entry.problem.gaps[0]
        theirs, ours = entry.at_defaults(LINEAR_SVC), entry.ours(wanted, dtype, threads)
        if theirs and ours and ratios([entry], dtype, threads):
            found.append(theirs.seconds / ours.seconds)
    return f"{geometric_mean(found):.1f} x ({len(found)})"


def warned(entries: Sequence[Entry], dtype: str, threads: int) -> str:
    """Count the fits of ours that warned."""
    name = f"maxmargin {dtype}"
    tries = [one for entry in entries for one in entry.tries]
    return str(sum(one.warned for one in tries if (one.peer, one.threads) == (name, threads)))


def versus(kind: str, entries: Sequence[Entry], wanted: float) -> Report:
    """Ours against the best peer and against LinearSVC as it comes."""
    header = ["data", "C", "one pass"]
    header += [f"{dtype}, {threads} t" for dtype, threads in COLUMNS]
    header += ["passes", "gap", "time / pass", "best peer, 1 t", "ratio 32", "ratio 64"]
    header += ["best peer, 2 t", "ratio 32", "ratio 64"]
    if with_defaults(kind):
        header += ["LinearSVC at defaults", "ratio 32"]
    report = Report(f"{kind.capitalize()}, gap {wanted:g}", "", header)
    report.rows += [cells(entry, wanted) for entry in entries]
    return report


def cells(entry: Entry, wanted: float) -> list[str]:
    """One row of `versus`."""
    times = [entry.ours(wanted, dtype, threads) for dtype, threads in COLUMNS]
    first = times[0]
    one_pass = entry.passes["float32"]
    row = [name(entry), f"{entry.problem.C:g}", spent(one_pass)]
    row += [spent(one.seconds) if one else "missed" for one in times]
    row += [
        f"{first.passes:.3g}" if first and first.passes is not None else "–",
        f"{entry.gap(first):.1e}" if first else "–",
        f"{first.seconds / one_pass:.3g}" if first else "–",
    ]
    for threads in (1, 2):
        row.append(str(entry.rival(wanted, threads) or "none"))
        row += [
            times_faster(entry.ratio(wanted, dtype, threads)) for dtype in ("float32", "float64")
        ]
    if with_defaults(entry.problem.kind):
        theirs = entry.at_defaults(LINEAR_SVC)
        ratio = theirs.seconds / first.seconds if theirs and first else None
        row += [as_it_comes(entry, LINEAR_SVC), times_faster(ratio)]
    return row


def with_defaults(kind: str) -> bool:
    """Whether LinearSVC solves this kind of problem as it comes."""
    return any(peer.name == LINEAR_SVC and kind in peer.defaults for peer in PEERS)


def everybody(kind: str, entries: Sequence[Entry]) -> Report:
    """Every peer at its best setting."""
    wanted = entries[0].problem.gaps[0]
    columns = [
        (peer.name, threads) for peer in PEERS if kind in peer.ladders for threads in peer.threads
    ]
    header = ["data", "C", *(f"{peer}, {threads} t" for peer, threads in columns)]
    report = Report(f"{kind.capitalize()}, gap {wanted:g}: every peer", "", header)
    for entry in entries:
        found = [entry.cell(peer, threads, wanted) for peer, threads in columns]
        report.rows.append([name(entry), f"{entry.problem.C:g}", *found])
    return report


def defaults(kind: str, entries: Sequence[Entry]) -> Report:
    """Every peer at its defaults, with the gap it stops at."""
    peers = [peer.name for peer in PEERS if kind in peer.defaults]
    report = Report(f"{kind.capitalize()}: every peer at its defaults", "", ["data", "C", *peers])
    for entry in entries:
        found = [as_it_comes(entry, peer) for peer in peers]
        report.rows.append([name(entry), f"{entry.problem.C:g}", *found])
    return report


def name(entry: Entry) -> str:
    """Name the data, with a mark where our bound was not there to judge."""
    return entry.data if entry.judged_by == CERTIFIED else f"{entry.data} †"


def times_faster(ratio: float | None) -> str:
    """Format a ratio."""
    return "–" if ratio is None else f"{ratio:.2g} x"


def as_it_comes(entry: Entry, peer: str) -> str:
    """Time and gap of a peer at its defaults."""
    one = entry.at_defaults(peer)
    if one is None:
        return "–"
    if one.merit is None:
        return f">{spent(one.seconds)}"
    return f"{spent(one.seconds)} ({entry.gap(one):.0e})"


def missing(entries: Sequence[Entry]) -> str:
    """Name who could not do what, why, and in how many entries."""
    reasons = Counter(f"{peer}: {why}" for entry in entries for peer, why in entry.failures.items())
    lines = [f"- {reason} ({count} entries)" for reason, count in sorted(reasons.items())]
    return "\n".join(["", "## Failures", "", *lines, ""]) if lines else ""


def draw(entries: Sequence[Entry]) -> None:
    """Plot our time against that of the best peer, one thread each."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 7), layout="constrained")
    axes = figure.subplots()
    for kind in KINDS:
        points = [
            (rival.seconds, ours.seconds)
            for entry in entries
            if entry.problem.kind == kind
            for wanted in entry.problem.gaps[:1]
            for rival, ours in [(entry.rival(wanted, 1), entry.ours(wanted, "float32", 1))]
            if rival and ours
        ]
        axes.loglog(*(zip(*points, strict=True) if points else ([], [])), "o", label=kind)
    ends = (1e-4, 1e2)
    for factor in (1, 3, 10):
        axes.plot(ends, [end / factor for end in ends], "k:", linewidth=0.8)
        axes.annotate(f"{factor} x", (ends[1], ends[1] / factor))
    axes.set_xlabel("seconds of the best peer at its best setting")
    axes.set_ylabel("seconds of LargeMarginClassifier")
    axes.legend()
    figure.savefig(PICTURE, metadata={"Date": None})
