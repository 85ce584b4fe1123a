"""The members of the family at their defaults, seeded; a new one is added here."""

from maxmargin import (
    BatchPerceptron,
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
    Perceptron,
    RelaxationPerceptron,
)

FAMILY = [
    Perceptron(random_state=0),
    MarginPerceptron(random_state=0),
    BatchPerceptron(),
    RelaxationPerceptron(random_state=0),
    FixedMarginPerceptron(random_state=0),
    BolzanoPerceptron(random_state=0),
    MinOverPerceptron(),
    DynamicMarginPerceptron(random_state=0),
]
