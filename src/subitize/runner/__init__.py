"""Works through what is left to do in a run: trials by a model, then readings by a judge.

It imports nothing by itself: worker processes need a few of its modules, and start the sooner.
"""
