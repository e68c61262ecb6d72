"""Texts with what is read in them, before any policy."""

from subitize.language.mentions import Amount, AtLeast, Exact, NoNumber, Range, Refusal, Several, Vague

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
    *_each(Exact(1000), "1\u00a0000", "1\u202f000 dots", "1\u2009000", "1 000", "There are 1 000 dots."),
    *_each(Exact(12500), "12\u00a0500", "12\u202f500", "12\u2009500 apples"),
    *_each(Exact(1_200_000), "1 200 000", "1\u00a0200\u00a0000"),
    *_each(Several((12, 500)), "12 500"),  # a plain space may as well part two numbers
    *_each(Several((3, 4000)), "3 4 000"),
    *_each(Several((5, 100, 2)), "5\u00a0100\u00a02", "5 100 2"),
    *_each(Several((1, 0, 5)), "1 000 5"),
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
    *_each(Exact(0), "nobody", "Nobody is there.", "There is nobody in the picture.", "no people", "No-one is there."),
    *_each(Exact(3), "There are 3 people and nobody else."),
    *_each(Exact(1), "No - one."),
    *_each(NONE, "nobody knows", "Nobody can tell.", "nobody else"),
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
    *_each(Several((0, 1)), "less than one, or rather one"),
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
    *_each(Range(1000, 2000), "1 000-2 000", "1\u00a0000–2\u00a0000", "1 000 to 2 000"),
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
    *_each(Several((1,)), "one in front, one behind", "One apple in front, one behind it.", "one here, one there"),
    *_each(Several((1,)), "one red, one green", "one is red, one is blue", "one red apple, one green apple"),
    *_each(Several((2,)), "2 cats, 2 dogs", "2 on the left, two on the right"),
    *_each(Exact(5), "5 apples, five", "5 apples, 5 apples", "5 apples, 5 in total", "5 apples, 5 of them red"),
    *_each(Exact(5), "There are 5 apples in the picture, 5 in total."),
]

BOTH = [
    *_each(Exact(2), "both", "Both.", "Both apples are red.", "both of them", "Both are red.", "2 apples, both red"),
    *_each(Exact(5), "Both images show 5 apples.", "5 apples, on both sides"),
    *_each(Several((3, 2)), "3 apples and both pears"),
    *_each(NONE, "both red and green", "Both apples and pears are there.", "on both sides", "not both", "both times"),
    *_each(Refusal("I can't"), "I can't tell, both are blurry."),
]

ANOTHER = [
    *_each(Several((1,)), "one apple and another one", "one apple and another", "one apple, another one behind it"),
    *_each(Several((1,)), "There is a dog and another one.", "a single dog and another one"),
    *_each(Several((3, 1)), "3 apples and another one", "three dogs and another animal"),
    *_each(Several((3, 4)), "3 and another 4"),
    *_each(Several((12,)), "12 eggs and another dozen"),
    *_each(Vague("few"), "3 apples and another few"),
    *_each(Vague("a few"), "a few apples and another one"),
    *_each(Exact(5), "There are 5 apples. Another is red."),
    *_each(NONE, "I see apples and another fruit.", "and another one"),
]

DENIED = [
    *_each(
        NONE, "The answer isn't 5", "It is not five.", "There aren’t 5 apples.", "It can't be 5.", "It isn't 5 or 6."
    ),
    *_each(NONE, "It isn't a dozen.", "never 5"),
    *_each(Exact(6), "not 5 but 6", "It's 6, not 5.", "It isn't 5. It's 6."),
    *_each(Several((4, 5)), "4, if not 5"),
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
    "both": BOTH,
    "another": ANOTHER,
    "denied": DENIED,
    "pronouns": PRONOUNS,
    "names": NAMES,
    "articles": ARTICLES,
    "large": LARGE,
    "refusals": REFUSALS,
}
