"""Finetunes models on counting data, and serves counts as rewards for people who train image models."""
