"""Numbers in text: what is read, what each policy makes of it, and what is written."""

import csv
import math
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.numerals import (
    LARGEST_IN_WORDS,
    LONGEST_TEXT,
    POLICIES,
    Amount,
    AtLeast,
    Exact,
    NoNumber,
    Policy,
    Range,
    Refusal,
    Several,
    Unread,
    Vague,
    article,
    counted,
    in_words,
    plural,
    read,
    singular,
    value,
)

NONE = NoNumber()


def _each(amount: Amount, *texts: str) -> list[tuple[str, Amount]]:
    return [(text, amount) for text in texts]


DIGITS = [
    *_each(Exact(5), "5", "5.", "5!", " 5 ", "5\n", "5 apples", "Answer:5", "Answer: 5", "(5)", "[5]", "'5'", "“5”"),
    *_each(Exact(5), "**5**", "`5`", "_5_", "***5*** apples", r"\boxed{5}", r"$\boxed{5}$", "$5$", "5️⃣", "🍎 5 🍎"),
    *_each(
        Exact(5), '{"count": 5}', "<b>5</b>", "<answer>5</answer>", "> 5 apples", "> five", "- 5 apples", "* 5 apples"
    ),
    *_each(Exact(5), "x5", "5x apples", "5 x apples", "apples: 5", "apples - 5", "5apples", "n=5", "5\u00a0apples"),
    *_each(Exact(5), "There are 5 apples. I count 5.", "5 (five)", "five (5)", "5, i.e. five", "5/5 five", "5.0"),
    *_each(Exact(3), "3 (three)", "three (3)", "3. Three apples.", "3.", "３", "٣", "𝟑", "३", "3.Three", "03"),
    *_each(Exact(1000), "1,000", "1000", "1,000 apples", "1,000.0", "1e3", "1 thousand"),
    *_each(Exact(12345), "12,345", "12345", "12,345."),
    *_each(Exact(1234567), "1,234,567"),
    *_each(Exact(100000), "1e5", "100 thousand", "1E+5"),
    *_each(Exact(2.5), "2.5", "2.5 apples", "2½", "2 ½", "2 1/2", "2 and 1/2", "two and a half", "2 and a half"),
    *_each(Exact(-5), "-5", "−5", "minus five", "negative 5", "The answer is -5."),
    *_each(Exact(0), "0", "0 apples", "zero", "Zero.", "There are 0 apples in the picture."),
    *_each(Exact(999999999999999), "999999999999999"),
]

WORDS = [
    *_each(Exact(1), "one", "One.", "ONE", "one apple", "There is one apple.", "just one", "only one", "exactly one"),
    *_each(Exact(1), "I see one.", "The answer is one.", "The image shows one dog.", "In the picture one dog sits."),
    *_each(Exact(1), "One dog, one.", "There's one.", "_one_", "one (1)", "I count one in the image."),
    *_each(Exact(5), "five", "Five", "FIVE!", "_five_", "**Five** apples", "five.", "There are five apples."),
    *_each(Exact(21), "twenty-one", "twenty one", "Twenty-One", "twenty‑one", "**twenty** **one**", "TWENTY ONE"),
    *_each(Exact(40), "forty", "fourty"),
    *_each(Exact(100), "a hundred", "one hundred", "hundred", "a hundred apples", "100"),
    *_each(Exact(105), "one hundred five", "one hundred and five", "a hundred and five", "One Hundred And Five"),
    *_each(Exact(1000), "a thousand", "one thousand", "ten hundred"),
    *_each(Exact(1100), "eleven hundred", "one thousand one hundred", "a thousand and one hundred"),
    *_each(Exact(1999), "nineteen hundred ninety-nine", "one thousand nine hundred and ninety-nine"),
    *_each(Exact(999999), "nine hundred ninety-nine thousand nine hundred ninety-nine"),
    *_each(Exact(100001), "one hundred thousand and one", "one hundred thousand one"),
    *_each(Exact(2_000_000), "two million", "2 million", "2,000,000"),
    *_each(Exact(12), "a dozen", "a dozen eggs", "one dozen", "dozen", "12 eggs (a dozen)", "twelve, a dozen"),
    *_each(Exact(6), "half a dozen", "half a dozen eggs", "half dozen", "a half dozen"),
    *_each(Exact(24), "two dozen", "2 dozen eggs", "a couple dozen"),
    *_each(Exact(18), "one and a half dozen", "1.5 dozen", "a dozen and a half"),
    *_each(Exact(2), "a couple", "a couple of apples", "a pair", "a pair of shoes", "couple of dogs", "a duo of cats"),
    *_each(Exact(4), "two pairs", "two pairs of shoes", "2 pairs of socks"),
    *_each(Exact(1), "a pair of scissors", "one pair of glasses", "a pair of red scissors"),
    *_each(Exact(2), "two pairs of scissors"),
    *_each(Exact(3), "a trio of birds", "three", "The three dogs are playing.", "all three"),
    *_each(Exact(1), "a single apple", "A single dog.", "There is a single bird in the sky.", "one single apple"),
    *_each(Exact(1), "a lone tree", "There is only a single one."),
    *_each(Several((2, 3)), "two three", "two and three", "two, three"),
    *_each(Several((3, 1)), "3 red apples and a single green one"),
    *_each(Exact(5), "a single row of 5 apples", "every single one of the 5"),
    *_each(Exact(24), "two-dozen eggs"),
    *_each(Several((20, 13)), "twenty thirteen"),
]

ABSENCE = [
    *_each(Exact(0), "no apples", "No apples.", "There are no apples.", "none", "None.", "nothing", "Nothing!"),
    *_each(Exact(0), "there aren't any", "There aren't any apples.", "There are not any apples in the picture."),
    *_each(Exact(0), "not a single apple", "There isn't a single apple.", "not one", "I see none.", "I don't see any."),
    *_each(Exact(0), "I don't see any apples.", "I do not see any apples in this image.", "I can't see any dogs here."),
    *_each(Exact(0), "There are no visible apples in the image.", "without any apples", "No, there are no apples."),
    *_each(Exact(0), "I'm sorry, but there are no butterflies in this image.", "nil", "None of them are apples."),
    *_each(Exact(0), "The image shows an empty plate; there aren’t any cookies on it."),
    *_each(Exact(3), "3 apples, none of them red", "3 apples and no pears", "There are 3 apples and nothing else."),
    *_each(
        Exact(3), "No, there are 3 apples.", "No. There are three.", "No there are 3", "No 3", "nothing but 3 apples"
    ),
    *_each(Exact(0), "There isn't one.", "There isn't an apple in the picture.", "none at all"),
    *_each(Several((0, 2)), "I don't see any apples, but I see two oranges.", "No apples; there are only 2 pears."),
    *_each(NONE, "no", "No.", "no one", "No one is there.", "no problem", "No way!", "no longer", "no doubt about it"),
]

PARTS = [
    *_each(Exact(1.5), "one and a half", "one and a half apples", "1 1/2", "1½", "1.5", "an apple and a half, 1.5"),
    *_each(Exact(1.5), "one apple and a half", "one and one half", "1 and a half"),
    *_each(
        Exact(0.5), "half an apple", "half of an apple", "1/2", "½", "one half", "0.5", "Half.", "half of another apple"
    ),
    *_each(Exact(0.75), "three quarters", "3/4", "¾", "three-quarters", "three fourths"),
    *_each(Exact(1.75), "one and three quarters", "1 3/4"),
    *_each(Exact(0.25), "a quarter of an apple", "one quarter", "1/4"),
    *_each(Exact(1.25), "one and a quarter pizzas", "1¼"),
    *_each(Exact(2 / 3), "two thirds", "2/3", "⅔"),
    *_each(Several((1, 0.5)), "There is one apple and half of another apple on the table."),
    *_each(
        NONE, "half of the apples", "the left half", "half-eaten", "two thirds of the apples are red", "24/7", "10/10"
    ),
]

BOUNDS = [
    *_each(AtLeast(10), "10+", "10+ apples", "at least ten", "At least 10 apples.", "10 or more", "ten or more apples"),
    *_each(
        AtLeast(10), "10 apples or more", "no fewer than 10", "a minimum of ten", "≥10", ">= 10", "at least about 10"
    ),
    *_each(
        AtLeast(11), "more than 10", "More than ten apples", "over 10", "There are over ten apples", ">10", "count > 10"
    ),
    *_each(AtLeast(13), "over a dozen", "more than a dozen", "well over a dozen birds"),
    *_each(AtLeast(3), "more than 2.5"),
    *_each(AtLeast(2), "more than one"),
    *_each(AtLeast(1), "one or more", "at least one"),
    *_each(Range(0, 5), "up to 5", "at most 5", "5 at most", "5 or fewer", "no more than five", "as many as 5", "≤5"),
    *_each(Range(0, 4), "fewer than 5", "less than five apples", "under 5", "<5"),
    *_each(Exact(0), "fewer than 1", "less than one"),
    *_each(Range(0, 5), "There can't be more than 5 apples.", "I don't see more than 5."),
    *_each(AtLeast(5), "There aren't fewer than 5.", "as few as 5"),
    *_each(AtLeast(6), "I'm not sure, but more than 5", "I don't know, more than 5."),
    *_each(Several((3, 2)), "3 birds over 2 trees", "3 birds above 2 houses"),
]

RANGES = [
    *_each(Range(2, 5), "2-5", "2–5", "2—5", "2 - 5", "2 to 5", "two to five", "from two to five", "2-5 apples", "5-2"),
    *_each(
        Range(2, 5), "between 2 and 5", "between two and five apples", "between **2** and **5**", "2 through 5", "2~5"
    ),
    *_each(Range(3, 4), "3 or 4", "three or four", "either 3 or 4", "3 or maybe 4", "3-4", "3 or possibly 4 dogs"),
    *_each(Range(2, 3), "two or three", "two-three", "two to three", "2-3", "2 or 3 apples", "2-to-3"),
    *_each(Range(20, 30), "twenty to thirty", "twenty-thirty", "about 20 to 30", "between about 20 and about 30"),
    *_each(Range(1000, 2000), "1,000-2,000", "1,000 to 2,000", "one to two thousand, 1,000-2,000"),
    *_each(Range(200, 300), "two or three hundred", "200 to three hundred"),
    *_each(Range(5, 100), "5 to a hundred", "5 to one hundred"),
    *_each(Range(1.5, 3), "1.5-3"),
    *_each(Exact(5), "5-5", "5 or 5"),
    *_each(Several((3, 4, 5)), "3, 4 or 5", "3 or 4, maybe 5"),
]

HEDGES = [
    *_each(
        Exact(10), "about ten", "approximately 10", "around 10", "I think 10", "roughly ten", "~10", "10 or so", "10ish"
    ),
    *_each(
        Exact(10), "probably 10", "It looks like ten", "maybe 10", "some 10 apples", "nearly 10", "10, I think", "10?"
    ),
    *_each(Exact(12), "roughly a dozen", "about a dozen apples", "approximately 12"),
]

VAGUE = [
    *_each(Vague("a few"), "a few", "There are a few apples.", "a few dozen", "a few hundred apples"),
    *_each(Vague("several"), "several", "Several apples.", "several hundred", "I see several dogs in the picture."),
    *_each(Vague("many"), "many", "Many apples", "There are many apples in the picture"),
    *_each(Vague("some"), "some", "There are some apples.", "some of them"),
    *_each(Vague("a lot of"), "a lot of apples", "There are a lot of apples"),
    *_each(Vague("a bunch of"), "a bunch of apples", "There is a bunch of apples."),
    *_each(Vague("a handful"), "a handful"),
    *_each(Vague("a number of"), "a number of apples"),
    *_each(Vague("dozens of"), "dozens of birds"),
    *_each(Vague("hundreds of"), "hundreds of apples"),
    *_each(Vague("lots"), "lots"),
    *_each(Vague("numerous"), "numerous stars"),
    *_each(Vague("multiple"), "There are multiple apples."),
    *_each(Vague("countless"), "countless stars"),
    *_each(Vague("plenty"), "plenty"),
    *_each(Vague("most"), "most of them"),
    *_each(Vague("too many"), "There are too many to count."),
    *_each(Vague("a group of"), "a group of people", "There is a group of people."),
    *_each(
        Vague("a few"), "3 red apples and a few green ones", "a few green apples and 3 red ones", "No dogs, a few cats"
    ),
    *_each(Vague("several"), "5 apples and also several pears", "5 apples and possibly several more"),
    *_each(Vague("some"), "5 apples and some pears", "There is an apple and some pears."),
    *_each(Exact(5), "There are some apples, 5 of them.", "There are several apples. I count 5.", "many apples: five"),
    *_each(Exact(5), "A few of the 5 apples are red.", "There is a group of five people."),
]

SEVERAL = [
    *_each(Several((3, 4)), "3, 4", "3 and 4", "3,4", "3 cats and 4 dogs", "3 apples; 4 pears", "3\n4", "3 4", "3 4 3"),
    *_each(Several((1, 2)), "1,2", "1, 2", "One red and two green."),
    *_each(
        Several((2, 3, 5)), "2 + 3 = 5", "2+3=5", "I see 2 red and 3 blue ones, so 5 in total", "two plus three is five"
    ),
    *_each(Several((5, 2, 3)), "a total of 5 apples: 2 red, 3 green"),
    *_each(Several((10, 7)), "at least 10, maybe 7", "more than 10, perhaps 7"),
    *_each(Several((1, 2, 3)), "1,2,3", "1, 2, 3", "one two three"),
    *_each(Several((3, 5)), "3 out of 5", "3 of the 5 apples"),
    *_each(Several((4, 5)), "a group of 4 and a group of 5", "4 + 5", "4 plus five", "four here, 5 there", "4 — 5"),
    *_each(Several((2,)), "2 red and 2 green", "two dogs on the left and 2 on the right", "2 plus 2"),
    *_each(Several((1,)), "There is one dog and one cat."),
    *_each(Exact(2), "I count 2 on the table, and I said 2 before", "2 dogs. And 2 is my answer."),
    *_each(Several((0, 5)), "0 apples and 5 pears"),
]

PRONOUNS = [
    *_each(
        NONE, "this one", "that one", "each one", "the red one", "the big red one", "one of them", "one of the apples"
    ),
    *_each(NONE, "one another", "another one", "which one", "upload one", "a green one.", "every one", "the one"),
    *_each(
        NONE, "the other one", "the first one", "One can see apples.", "one by one", "the same one", "the left one."
    ),
    *_each(
        Exact(4), "4 apples, one of them is red", "There are 4, and the red one is big.", "4 on one side of the table"
    ),
]

NAMES = [
    *_each(
        NONE,
        "1st",
        "third",
        "the second row",
        "2nd",
        "21st",
        "twenty-first",
        "the twenty-first apple",
        "the twenty first apple",
        "more than enough",
        "3rd place",
    ),
    *_each(NONE, "in 2023", "© 2019", "Copyright 2019", "since 1999", "in 2023.", "2019-2023", "May 2020", "(c) 2021"),
    *_each(
        NONE, "#1", "Image 1:", "Figure 2", "Step 3", "Option 2", "Fig. 2", "Question 4", "No. 5", "Row 1", "figure two"
    ),
    *_each(
        NONE, "1. an apple\n2. an apple", "1) an apple\n2) a pear\n3) a plum", "1) apple 2) pear", "(1) red\n(2) green"
    ),
    *_each(NONE, "10:30", "3 pm", "5 a.m.", "12/25/2020", "2023-01-15", "January 5", "5 January", "at 7 o'clock"),
    *_each(
        NONE, "1024x1024", "1024 x 768", "5 cm", "5cm", "3D", "50%", "50 percent", "$5", "€5", "5 dollars", "4 by 4"
    ),
    *_each(
        NONE, "555-1234", "555-123-4567", "+1-800-555-1234", "v2", "GPT-4", "COVID-19", "2-year-old", "a 2 year old"
    ),
    *_each(NONE, "image_1.png", "IMG1234", "https://example.com/5", "www.example.com/5", "1.2.3", "192.168.0.1", "H2O"),
    *_each(
        NONE,
        "m³",
        "x²",
        "²",
        "five-pointed",
        "three-legged",
        "5-pointed star",
        "2 to 5 cm",
        "6 feet tall",
        "10 minutes",
    ),
    *_each(NONE, "I counted three times.", "4K", "720p", "the 1990s", "30°", "16:9", "Qwen2.5", "GPT 4", "gpt-4"),
    *_each(Exact(5), "Image 1: 5 apples", "Figure 2 shows 5 apples.", "In the image 5 apples are shown.", "Step 1: 5"),
    *_each(
        Exact(5), "In 2023 there were 5 apples.", "A 3D render of 5 apples", "5 apples, 50% of them red", "5 (100%)"
    ),
    *_each(
        Exact(5),
        "1. There are 5 apples.",
        "1. red\n2. green\nThere are 5.",
        "I am GPT-4 and I see 5",
        "5 apples (1024x768)",
    ),
    *_each(
        Exact(5),
        "5 five-pointed stars",
        "five 2-year-old children",
        "five feet",
        "The first row has 5.",
        "IMG_2034.jpg: 5",
    ),
    *_each(Exact(6), "6 people aged 20-30", "A 3-by-3 grid of 6 dots", "6 people in their 20s", "At 5:30 pm, 6 birds"),
    *_each(
        Exact(6), "99 % sure it's 6", 'The sign says "5 miles" and there are 6 cars', "2nd image: 6 apples", "Q1: 6"
    ),
    *_each(Exact(6), "On 5th May there were 6.", "Line 1\nLine 2\n6", "6 four-leaf clovers", "1st and 2nd: 6 apples"),
    *_each(Exact(2000), "2000 grains", "There are 2000 apples", "2000"),
    *_each(Exact(1), "1.", "1. apple", "1) one"),
    *_each(Several((3, 4)), "Row 1: 3 apples, Row 2: 4 apples", "- Apple 1: 3 seeds\n- Apple 2: 4 seeds"),
]

ARTICLES = [
    *_each(
        Exact(1), "There is an apple.", "There's a dog.", "just an apple", "only a dog", "There is only a cat here."
    ),
    *_each(
        NONE, "an apple", "a", "A dog is playing.", "There is a bowl of apples.", "There is a plate with apples on it."
    ),
    *_each(
        NONE, "There is a problem with it.", "I see apples.", "Apples.", "yes", "", " ", "\n", "?", "apples and pears"
    ),
    *_each(Exact(2), "There is a dog with 2 cats.", "There is a table. On it are two apples."),
]

LARGE = [
    *_each(NONE, "9" * 16, "1" * 10_000, "1e400", "1e99", "1e99999999", "0." + "1" * 5_000, "٣" * 10_000),
    *_each(Exact(5), "5" + " " * 10_000 + "6", "x " * 100 + "5"),
]

REFUSALS = [
    *_each(Refusal("I'm sorry"), "I'm sorry, but I can't help with that.", "I'm sorry, I can't see any image."),
    *_each(Refusal("I’m sorry"), "I’m sorry, but I can’t assist with that."),
    *_each(
        Refusal("I cannot"),
        "I cannot determine how many apples there are.",
        "I cannot see the image; please upload one.",
    ),
    *_each(Refusal("I'm unable"), "I'm unable to count the apples."),
    *_each(Refusal("As an AI"), "As an AI, I cannot see pictures."),
    *_each(Refusal("I don't see"), "I don't see any image.", "I don't see any attached picture. Could you share it?"),
    *_each(Refusal("I can't"), "I can't view images, so I have no idea.", "I can't identify people in this one."),
    *_each(Refusal("No image"), "No image was provided."),
    *_each(Refusal("no idea"), "Sadly, no idea", "no idea"),
    *_each(Refusal("I don't know"), "I don't know how many there are"),
    *_each(Refusal("It's impossible"), "It's impossible to say how many."),
    *_each(Refusal("need to see"), "I would need to see the picture to answer."),
    *_each(Refusal("be an image attached"), "There doesn't seem to be an image attached."),
    *_each(Refusal("Sorry"), "Sorry, there is a problem with this one."),
    *_each(Exact(7), "I can't be sure but I count 7", "I'm sorry, I see 7 apples.", "As an AI, I count seven dogs."),
    *_each(Vague("several"), "I cannot give an exact number, but there are several apples."),
]

GROUPS = {
    "digits": DIGITS,
    "words": WORDS,
    "absence": ABSENCE,
    "parts": PARTS,
    "bounds": BOUNDS,
    "ranges": RANGES,
    "hedges": HEDGES,
    "vague": VAGUE,
    "several": SEVERAL,
    "pronouns": PRONOUNS,
    "names": NAMES,
    "articles": ARTICLES,
    "large": LARGE,
    "refusals": REFUSALS,
}

# What the policy "total" takes from answers as chatty models give them; None where it discards them.
TOTALS: list[tuple[str, float | None]] = [
    ("There are 2 apples on the left and 3 on the right, making a total of 5 apples.", 5),
    ("Let's count them: 1, 2, 3, 4, 5, 6. So there are 6 butterflies in the picture.", 6),
    (
        "Let me count.\n\n1. Top left: one apple\n2. Top right: two apples\n3. Bottom: one apple\n\nTotal: 4 apples.",
        4,
    ),
    ("The image shows 7 dots on a white background.", 7),
    ("Based on the image provided, there appear to be approximately 12 people.", 12),
    ("**Answer: 4**", 4),
    ("The answer is 7.", 7),
    ("There are three rows of apples with four in each, for a total of 12.", 12),
    ("I can see 2 dogs, 1 cat, and 3 birds. That makes 6 animals overall.", 6),
    ("There are 5 apples: 2 red and 3 green.", None),
    ("I count 5. Wait, let me recount. There are actually 6 apples.", None),
    ("The answer is 5. Wait, actually the answer is 6.", 6),
    ("Total: 5. Final answer: 6", 6),
    ("In total, there are 2 cats and 3 dogs.", None),
    ("In the image, there are a total of **8** butterflies.", 8),
    ("There is one person in the picture.", 1),
    ("There is a man in the picture.", 1),
    ("The picture shows a man and a woman.", None),
    ("There are two people in the picture: a man and a woman.", 2),
    ("There are 10 dots in total, arranged in 2 rows of 5.", 10),
    ("There are 10 dots arranged in two rows of five.", None),
    ("Looking at the picture, I can count exactly nine (9) apples.", 9),
    ("I see a total of six butterflies; three are blue, two are yellow, and one is orange.", 6),
    ("Five. Each one is red.", 5),
    ("Unfortunately, I can't view images directly. Could you describe it?", None),
    ("I'm not able to see the image you are referring to. Please upload one and I'll count for you.", None),
    ("It is difficult to determine the exact number of apples, but there seem to be around 20.", 20),
    ("There are more than 20 people in the crowd.", None),
    ("There are about 15-20 people in the picture.", None),
    ("Sure! The number of apples is 8.", 8),
    ("Sure, here's the count:\n- Red apples: 3\n- Green apples: 4\n- **Total: 7**", 7),
    ("The count is 3.", 3),
    ("3 apples", 3),
    ("It's 4!", 4),
    ("four people are standing, and one is sitting. So, five people in total.", 5),
    ("Upon closer inspection, there are 4 dots.", 4),
    ("There are 4 apples in the picture, one of which has a leaf.", 4),
    ("There are 4 apples in the picture. One of the apples has been bitten.", 4),
    ("There are 4 dots in the image, each one a different color.", 4),
    ("As of my knowledge cutoff in September 2021, I can't see images.", None),
    ("There are 6 fish in this image. 3 of them are facing left and 3 are facing right.", None),
    ("Answer: 6 fish (3 facing left, 3 facing right)", 6),
    ("\\boxed{12}", 12),
    ("The final answer is $\\boxed{12}$.", 12),
    ("2 x 3 = 6", 6),
    ("There is only one butterfly in the picture, and it is orange.", 1),
    ("Just one.", 1),
    ("There's no one in the picture.", None),
    ("There are no people in the picture.", 0),
    ("There are zero apples.", 0),
    ("I don't see any apples in the picture, but I see two oranges.", None),
    ("There are 100+ dots.", None),
    ("The image contains 5 black dots of various sizes.", 5),
    ("There are many dots, exactly 17.", 17),
    ("The picture features a group of ten people standing together.", 10),
    ("The image shows several apples. In total there are 9 of them.", 9),
    ("There are 4 stars in the top row, 3 in the middle row and 2 in the bottom row, so 4 + 3 + 2 = 9 stars.", 9),
    ("The first row has 3 apples, the second row has 3 apples, and the third row has 3 apples. Altogether, 9.", 9),
    ("Row 1: 3\nRow 2: 3\nRow 3: 1\nTotal = 7", 7),
    ("There are 8 apples in the picture (4 on the top, 4 on the bottom).", None),
    ("I see 1 apple.", 1),
    ("one", 1),
    ("There seem to be five or six butterflies.", None),
    ("There are 5-6 people.", None),
    ("At first glance 5, but a careful count gives 6.", 6),
    ("Hmm, the number of dots is hard to tell, I'd say about 30.", 30),
    ("The image has a resolution of 1024x1024 pixels and shows 6 apples.", 6),
    ("This is a 3D rendering of 2 red apples.", 2),
    ("The picture shows 3 cars, all of them are red.", 3),
    ("7 dots.", 7),
    ("A total of 11.", 11),
    ("There are a dozen eggs in the carton.", 12),
    ("There are half a dozen eggs.", 6),
    ("I count two dozen.", 24),
    ("Two pairs of shoes (4 shoes).", 4),
    ("Both apples are red.", None),
    ("A couple of people.", 2),
    ("There is a couple walking on the beach.", 2),
    ("I see 12 people: 5 in the front row, 7 in the back row.", None),
    ("There are 20 candies in the jar, give or take a few.", 20),
    ("There are 3 apples and 1 banana, so the answer is 3.", 3),
    ("The answer: three", 3),
    ("three apples, I believe. Hope this helps! 😊", 3),
    ("It appears that there are 13 items in the picture. Let me know if you need anything else!", 13),
    ("Great question! There are 4 apples. Is there anything else I can help you with?", 4),
    ("To answer your question, there's 1 person.", 1),
    ("The number of apples in the picture is: 10.", 10),
    ("Number of apples: 10", 10),
    ("Apples: 10, Oranges: 0", None),
    ("<think>I count 3 on the left and 4 on the right.</think> 7", None),
    ("<think>I count 3 on the left and 4 on the right, so 7.</think>\nThe answer is 7.", 7),
    ("Only 1.", 1),
    ("I can identify 4 individuals in this image.", 4),
    ("No apples are visible in the image; there are only 3 oranges.", None),
    ("There are no more than 5 apples.", None),
    ("There are two (2) apples in the picture, not three.", None),
    ("You can see 5 apples, which is a lot!", 5),
    ("Well, it depends on how you count, but I'd go with 9.", 9),
    ("The image you've sent shows exactly 1 bell.", 1),
    ("There is one apple and a half.", 1.5),
    ("One and a half apples are in the picture.", 1.5),
    ("The image depicts one whole apple and half of another one.", None),
    ("I counted them twice and got 14 both times.", 14),
    ("There are 5 apples in the first image and 6 in the second.", None),
    ("The picture shows 5 apples. Image 2 shows 5 as well.", 5),
    ("Four apples are on the table, and there is one more on the chair, so five altogether.", 5),
    ("There are 16 dots (a 4x4 grid).", 16),
    ("There are 16 dots in a 4 by 4 grid.", 16),
    ("A 3-by-3 grid of 9 dots", 9),
    ("it's 2 o'clock and I see 3 clocks", 3),
    ("5 apples + 2 pears", None),
    ("There are 5 apples, so the answer is 5", 5),
    ("Considering everything, I would estimate between 40 and 50 people.", None),
    ("I see ~25 people", 25),
    ("I see 2 big apples and 1 small one.", None),
    ("There's only one.", 1),
    ("This picture has two butterflies on it: one is big and the other one is small.", None),
    ("On the table, there are 3 bottles; one is green, one is blue and the last one is red.", None),
    ("zero.", 0),
    ("0", 0),
    ("The image contains no visible apples.", 0),
    ("There doesn't appear to be any people in this image.", 0),
    ("I'm sorry, but I cannot provide an exact count.", None),
    ("I would say six, but I am not sure.", 6),
    ("Between the two trees there are 3 people.", None),
    ("The two of them make 2.", 2),
    ("Exactly 1,024 dots.", 1024),
    ("There are 1 000 dots.", None),
    ("The answer is 2 + 3 = 5.", 5),
    ("So 2 and 3 makes 5.", 5),
    ("So there are 2 red and 3 blue.", None),
    ("There are 9 apples in all.", 9),
    ("In all there are 9 apples, 4 red and 5 green.", 9),
    ("Adding 4 and 5, we get 9 apples.", 9),
    ("That adds up to 9 apples: 4 + 5.", 9),
    ("Two apples and one pear = three fruits.", 3),
    ("Total of 5 red apples; total of 3 green apples.", None),
    ("I see 2 red and 3 blue ones, so 5 in total", 5),
    ("2 + 3 = 5", 5),
    ("12 total (3 red)", 12),
    ("3 people in total: 2 men and 1 woman", 3),
    ("2 dogs on the left and 2 on the right.", None),
    ("2 dogs on the left and 2 on the right, so 4.", 4),
    ("| Row | Count |\n|---|---|\n| 1 | 4 |\n| 2 | 5 |\n| Total | 9 |", 9),
    ("Left 3, right 4. 3+4 = 7. Wait, there is one hidden. 7 + 1 = 8. Final answer: 8", 8),
    ("I initially counted 5, but actually there are 6 in total.", 6),
    ("There are 5 in total. Actually, 6 in total.", 6),
    ("There are 5 in total. Hmm, 6 in total.", None),
    ("In all, I count 9 (4 red, 5 green)", 9),
    ("Altogether there are 4 red and 5 green apples", None),
    ("The answer is 4 red and 5 green.", None),
    ("all of the apples: 4 red, 5 green", None),
    ("5 minus 3 equals 2", 2),
    ("ans = 7, since 3 + 4 = 7", 7),
    ("The answer is 5 - the other 2 are pears.", 5),
    ("Total: 5. Answer: 4 or 5.", None),
    ("2 left 3 right total 5", 5),
    ("2 red, 3 blue in total: 5", 5),
    ("12 in total, 3 of them red", 12),
    ("total 12, of which 3 are red", 12),
    ("4 + 3 → 7", 7),
    ("5 - 3 = 2", 2),
    ("5-3=2", 2),
    ("3 * 4 = 12", 12),
    ("- 1 red\n- 2 green\n= 3", 3),
    ("There are 3, no wait, 4 apples.", None),
    ("a total of 5 apples: 2 red, 3 green", 5),
    ("2 and 3: 5 altogether", 5),
    ("2 here, 3 there, making 5 overall", 5),
    ("a few on the left and 3 on the right, 8 in total", 8),
    ("2 cats and 3 dogs, 4 or 5 in total", None),
    ("Answer: 3. Answer: 4.", None),
    ("Answer: 3. No, sorry. Answer: 4.", 4),
    ("Total: 5 or 6", None),
    ("I cannot give a total", None),
]

# (policy, text, the number taken; None where the policy discards the text)
POLICY_CASES: list[tuple[Policy, str, float | None]] = [
    ("strict", "5", 5),
    ("strict", "about ten", 10),
    ("strict", "roughly a dozen", 12),
    ("strict", "one and a half", 1.5),
    ("strict", "no apples", 0),
    ("strict", "2 red and 3 blue, so 5 in total", None),
    ("strict", "a few", None),
    ("strict", "2-5", None),
    ("strict", "10+", None),
    ("strict", "I cannot say", None),
    ("strict", "", None),
    *(("total", text, number) for text, number in TOTALS),
    ("geckonum", "3", 3),
    ("geckonum", "3-4", 3.5),
    ("geckonum", "3-4-8", 3.5),
    ("geckonum", "10+", 11),
    ("geckonum", "10", 10),
    ("geckonum", "15", 11),
    ("geckonum", "9-15", 11),
    ("geckonum", "1,10+", 1),
    ("geckonum", "3,8", 3),
    ("geckonum", "o", 0),
    ("geckonum", "1O+", 11),
    ("geckonum", "6=7", 6.5),
    ("geckonum", "2q", 2),
    ("geckonum", "04", 4),
    ("geckonum", "0.5", 0.5),
    ("geckonum", "2.5-5", 3.75),
    ("geckonum", "9" * 5_000, 11),
    ("geckonum", "three", None),
    ("geckonum", ",3", None),
    ("geckonum", "", None),
]

REASONS = [
    ("2 and 3", "several different numbers: 2, 3"),
    ("1.5 or rather 1, 2", "several different numbers: 1.5, 1, 2"),
    ("There are a few apples", "vague: 'a few'"),
    ("apples", "no number"),
    ("I cannot see it", "refusal: 'I cannot'"),
    ("2 to 5", "a range: 2 to 5"),
    ("10+", "at least 10"),
    ("2 red and 2 green", "two counts of 2"),
    ("more than 9", "at least 10"),
]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        pytest.param(text, amount, id=f"{group}: {text[:60]!r}")
        for group, cases in GROUPS.items()
        for text, amount in cases
    ],
)
def test_a_text_is_read_as_what_it_says(text: str, amount: Amount) -> None:
    assert read(text) == amount


@pytest.mark.parametrize(
    ("policy", "text", "expected"),
    [pytest.param(*case, id=f"{case[0]}: {case[1][:60]!r}") for case in POLICY_CASES],
)
def test_a_policy_takes_the_number_it_promises(policy: Policy, text: str, expected: float | None) -> None:
    got = value(text, policy)
    assert isinstance(got, Unread) if expected is None else got == expected


@pytest.mark.parametrize(("text", "reason"), REASONS, ids=[repr(text) for text, _ in REASONS])
def test_a_discarded_text_has_a_readable_reason(text: str, reason: str) -> None:
    assert value(text, "strict") == Unread(reason)


def test_strict_is_the_policy_when_none_is_named() -> None:
    assert value("2 + 3 = 5") == value("2 + 3 = 5", "strict") == Unread("several different numbers: 2, 3, 5")


def test_an_unknown_policy_is_named_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"no policy named 'loose'; known: strict, total, geckonum"):
        value("5", "loose")  # type: ignore[arg-type]


def test_text_beyond_the_longest_is_not_read() -> None:
    text = "5 " + "x" * LONGEST_TEXT + " 6"
    assert read(text) == Exact(5)
    assert [value(text, policy) for policy in POLICIES] == [5, 5, 5]


@pytest.mark.needs("shared-data")
def test_geckonum_policy_equals_every_released_answer(shared_data: Path) -> None:
    files = sorted((shared_data / "geckonum").glob("task_1_*.csv"))
    assert files, f"no task_1_*.csv in {shared_data / 'geckonum'}"
    pairs: set[tuple[str, str]] = set()
    for path in files:
        with path.open(encoding="utf-8", newline="") as lines:
            pairs.update((row["raw_answer"], row["answer"]) for row in csv.DictReader(lines))
    wrong = {(raw, answer, value(raw, "geckonum")) for raw, answer in pairs if value(raw, "geckonum") != float(answer)}
    assert not wrong


def _with_and(n: int) -> str:
    """British: "one hundred and five thousand and six"."""
    if n >= 1000:
        rest = n % 1000
        joint = " and " if 0 < rest < 100 else " " if rest else ""
        return f"{_with_and(n // 1000)} thousand{joint}{_with_and(rest) if rest else ''}"
    if n >= 100:
        return f"{in_words(n // 100)} hundred" + (f" and {in_words(n % 100)}" if n % 100 else "")
    return in_words(n)


SPELLINGS: dict[str, Callable[[int], str]] = {
    "in_words": in_words,
    "with and": _with_and,
    "without hyphens, in capitals": lambda n: in_words(n).replace("-", " ").upper(),
}
# Every number below 1,100, every full thousand, and a prime stride that meets all pairs of endings.
ROUND_TRIPS = sorted({*range(1_100), *range(0, LARGEST_IN_WORDS, 1_000), *range(0, LARGEST_IN_WORDS, 101)})


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_a_number_survives_being_written_and_read(spell: Callable[[int], str]) -> None:
    assert [n for n in ROUND_TRIPS if value(spell(n)) != n] == []


@settings(deadline=None)
@given(st.integers(0, LARGEST_IN_WORDS), st.sampled_from(sorted(SPELLINGS)))
def test_any_number_survives_being_written_and_read(n: int, spelling: str) -> None:
    assert value(SPELLINGS[spelling](n)) == n


def test_the_million_numbers_have_a_million_different_words() -> None:
    assert len({in_words(n) for n in range(LARGEST_IN_WORDS + 1)}) == LARGEST_IN_WORDS + 1


@settings(deadline=None)
@given(st.integers(0, 10**15 - 1))
def test_digits_are_read_with_and_without_separators(n: int) -> None:
    assert read(str(n)) == read(f"{n:,}") == Exact(n)


PIECES = re.split(
    " ",
    "one two twenty hundred thousand and a an half dozen pair no none any not a few some at least more than up to or"
    " between to - – — + = 5 10 1,000 1/2 ½ 2.5 . , : ( ) \n ** _ total answer so wait the of red apples there is cm %"
    " $ # x ³ ٣ １ ' ’ I'm sorry <b> -5 1e5 99999999999999999999",
)


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=LONGEST_TEXT)
    | st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)
    | st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
)
def test_no_text_crashes_the_reader(text: str) -> None:
    amount = read(text)
    for policy in POLICIES:
        got = value(text, policy)
        assert isinstance(got, Unread) or math.isfinite(got)
    if isinstance(amount, Exact):
        assert value(text, "strict") == value(text, "total") == amount.value


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_emphasis_does_not_change_a_number(text: str) -> None:
    assert value(f"**{text}**") == value(text)


NASTY = (
    "one ", "1,", "a ", "no ", "(", "-", "٣", "1/", "hundred ", " and", "between 1 ", "1,000,", "1-", "1.", "1:", "<a ",
    "_", "not ", "any ", "5 or ", "half a ", "1\n", "1) ", "a few ", "total 5 ", "= 5 + ", "I can't ", "twenty-", "'",
    "a'", "1e", "http://", "½", "1 1/2 ", "more than ", "at least 5 ", "one and a half ", "more than one and ",
    "the ", "9",
)  # fmt: skip


@pytest.mark.parametrize("unit", NASTY, ids=repr)
@pytest.mark.parametrize("policy", ["total", "geckonum"])
def test_reading_time_grows_no_faster_than_the_text(unit: str, policy: Policy) -> None:
    def text(length: int) -> str:
        return (unit * length)[:length]

    # Quadratic time would give 64. A busy machine only ever adds time, so minima over more rounds come closer to 8.
    short_seconds = long_seconds = math.inf
    for _ in range(10):
        short_seconds = min(short_seconds, _best_seconds(text(LONGEST_TEXT // 8), policy))
        long_seconds = min(long_seconds, _best_seconds(text(LONGEST_TEXT), policy))
        if long_seconds / short_seconds < 24:
            break
    assert long_seconds / short_seconds < 24


def _best_seconds(text: str, policy: Policy) -> float:
    def seconds() -> float:
        start = time.perf_counter()
        value(text, policy)
        return time.perf_counter() - start

    return min(seconds() for _ in range(3))


SPELLED = {
    0: "zero", 1: "one", 10: "ten", 13: "thirteen", 20: "twenty", 21: "twenty-one", 40: "forty", 99: "ninety-nine",
    100: "one hundred", 105: "one hundred five", 342: "three hundred forty-two", 1_000: "one thousand",
    1_001: "one thousand one", 12_345: "twelve thousand three hundred forty-five", 100_000: "one hundred thousand",
    999_999: "nine hundred ninety-nine thousand nine hundred ninety-nine",
}  # fmt: skip


@pytest.mark.parametrize(("n", "words"), SPELLED.items())
def test_a_number_is_written_in_words(n: int, words: str) -> None:
    assert in_words(n) == words


@pytest.mark.parametrize("n", [-1, 1_000_000])
def test_a_number_outside_the_words_is_named(n: int) -> None:
    with pytest.raises(ValueError, match=f"cannot write {n} in words; the number must be from 0 to 999,999"):
        in_words(n)


# GeckoNum's 40 nouns and the things of its other prompts: noun + s, but for fish, flies, leaves, loaves.
GECKONUM_NOUNS = re.split(
    ",",
    "dog,cat,ant,axolotl,seahorse,kangaroo,koala,manatee,apple,egg,burger,cookie,pizza,lychee,parsnip,samosa,chocolate,"
    "cinnamon stick,tree,flower,coconut,olive,mushroom,durian,bonsai,pistachio,okra,table,book,bottle,spoon,pencil,"
    "crib,paperclip,flute,trowel,corkscrew,fork,plate,banana,cake,candle,page,seed,vase,watermelon,black apple",
)
PLURALS = {
    **{noun: noun + "s" for noun in GECKONUM_NOUNS},
    "fish": "fish", "fly": "flies", "leaf": "leaves", "loaf of bread": "loaves of bread", "shelf": "shelves",
    "grain of rice": "grains of rice", "red fish": "red fish", "goldfish": "goldfish", "bookshelf": "bookshelves",
    "person": "people", "salesperson": "salespeople", "child": "children", "man": "men", "woman": "women",
    "snowman": "snowmen", "human": "humans", "mouse": "mice", "tooth": "teeth", "foot": "feet", "goose": "geese",
    "mongoose": "mongooses", "sheep": "sheep", "deer": "deer", "moose": "moose", "ox": "oxen", "die": "dice",
    "wolf": "wolves", "knife": "knives", "life": "lives", "scarf": "scarves", "roof": "roofs", "giraffe": "giraffes",
    "chef": "chefs", "cliff": "cliffs", "glove": "gloves", "wave": "waves", "potato": "potatoes", "tomato": "tomatoes",
    "hero": "heroes", "mango": "mangoes", "piano": "pianos", "photo": "photos", "zoo": "zoos", "flamingo": "flamingos",
    "bus": "buses", "box": "boxes", "fox": "foxes", "dish": "dishes", "church": "churches", "glass": "glasses",
    "quiz": "quizzes", "octopus": "octopuses", "cactus": "cacti", "walrus": "walruses", "lens": "lenses",
    "stomach": "stomachs", "boy": "boys", "key": "keys", "cherry": "cherries", "butterfly": "butterflies",
    "pie": "pies",
    "tie": "ties", "movie": "movies", "zombie": "zombies", "shoe": "shoes", "toe": "toes", "horse": "horses",
    "rose": "roses", "house": "houses", "vase of flowers": "vases of flowers", "prize": "prizes", "axe": "axes",
    "headache": "headaches", "taxi": "taxis", "kiwi": "kiwis", "iris": "irises", "oasis": "oases", "bee": "bees",
    "mother-in-law": "mothers-in-law", "passer-by": "passers-by", "man of war": "men of war", "dot": "dots",
    "filled dot": "filled dots", "bell": "bells", "candy": "candies", "plane": "planes", "star": "stars",
    "cup of coffee": "cups of coffee", "man with a hat": "men with a hat", "gas": "gases", "series": "series",
    "jellyfish": "jellyfish", "grandchild": "grandchildren", "soliloquy": "soliloquies", "Fly": "Flies", "DOG": "DOGS",
}  # fmt: skip


@pytest.mark.parametrize(("one", "many"), PLURALS.items())
def test_a_noun_has_its_plural_and_comes_back(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one
    assert singular(one) == one


@pytest.mark.parametrize(
    ("many", "one"), [("persons", "person"), ("mangos", "mango"), ("fishes", "fish"), ("cactuses", "cactus"), ("", "")]
)
def test_a_second_plural_is_understood(many: str, one: str) -> None:
    assert singular(many) == one


AN = (
    "apple", "egg", "hour", "honest man", "heirloom", "X-ray", "MRI", "SUV", "umbrella", "uninteresting image",
    "8-ball",
    "11th apple", "18-year-old", "orange", "owl", "undershirt", "Apple", "F", "unidentified object", "ant", "urn",
    "only one",
    "onion", "usher", "hourglass", "unimportant thing", "ugly duck", "axolotl", "utterance", "80 %",
)  # fmt: skip
A = (
    "dog", "unicorn", "one-way street", "UFO", "university", "European", "ewe", "user", "used car", "house", "TV",
    "ukulele",
    "utensil", "hat", "1 dog", "one-eyed cat", "uniform", "union", "U-turn", "NASA rocket", "hero", "year", "once-over",
    "urinal", "unit", "110-page book", "yellow apple", "ouija board", "usual one", "Unicorn", "",
)  # fmt: skip


@pytest.mark.parametrize(("noun", "expected"), [*((noun, "an") for noun in AN), *((noun, "a") for noun in A)])
def test_the_article_follows_the_sound(noun: str, expected: str) -> None:
    assert article(noun) == expected


def test_things_are_counted_in_digits_or_words() -> None:
    assert [counted(n, "fly") for n in (0, 1, 2)] == ["0 flies", "1 fly", "2 flies"]
    assert [counted(n, "fly", "words") for n in (0, 1, 2)] == ["zero flies", "one fly", "two flies"]
    assert counted(21, "loaf of bread", style="words") == "twenty-one loaves of bread"
