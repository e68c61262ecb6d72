"""How large a study must be, before anything is drawn: studies are simulated and read by what reports them.

What prompts give is drawn by laws (`chances`) for each kind of study (`studies`); the intervals and tests are those of
`stats.estimator`, `stats.comparisons` and `stats.kappas`, as `score`, `compare` and `agree` have them.
"""
