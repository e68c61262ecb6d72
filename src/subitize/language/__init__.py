"""Reads and writes numbers in text, and reads prompts as scenes of counted things.

Answers: text becomes tokens, tokens become mentions of quantities, and one decision over all mentions gives the
number. Each step is linear in the length of the text. A policy decides how to treat several numbers or a vague answer.

Prompts: text becomes terms, terms become a scene, and a scene gives the questions to ask about a picture of it."""
