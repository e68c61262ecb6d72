"""How GeckoNum's authors finetuned (appendix D)."""

from subitize.training.recipes import TrainingRecipe

# The paper's decay of 1e-6 is big_vision's, which is not multiplied by the learning rate of 1e-5.
RECIPE = TrainingRecipe("geckonum", 256, 2, 1e-5, 0.1, 0.05, "cosine", most_norm=1.0)
