"""The papers' theorems, tried on random problems with the slow reference implementations."""
