"""Reads and writes numbers in text, and reads prompts as scenes of counted things.

Answers: text becomes tokens, tokens become mentions of quantities, and one decision over all mentions gives the
number. Each step is linear in the length of the text. A policy decides what several numbers or a vague answer count
as.

Prompts: text becomes terms, terms become a scene, and a scene gives the questions to ask about a picture of it."""
