"""Does what is left to do in a run: trials by a model, then readings by a judge.

The package imports nothing by itself: worker processes need only a few of its modules, and start sooner."""
