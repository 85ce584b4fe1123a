"""The fast certified solvers: an objective goes in, a solution with its proof comes out."""

from maxmargin.solvers.choice import ASCENT, NEWTON, best_method, has_room, matrix_bytes
from maxmargin.solvers.objective import HARD, HINGE, SQUARED_HINGE, Objective
from maxmargin.solvers.passes import Passes, threads
from maxmargin.solvers.progress import Progress
from maxmargin.solvers.solution import Problem, Solution, Start, solve

__all__ = [
    "ASCENT",
    "HARD",
    "HINGE",
    "NEWTON",
    "SQUARED_HINGE",
    "Objective",
    "Passes",
    "Problem",
    "Progress",
    "Solution",
    "Start",
    "best_method",
    "has_room",
    "matrix_bytes",
    "solve",
    "threads",
]
