"""Prompts as users may put them, with the scene each asks for, and prompts that must not be understood.

A scene is written as "7 apple, 2 red dog | 0 above 1": numbers, colours and nouns, then relations by position. A
form stands in brackets: [whole], [1/2] of it, [5] pieces, [5=] equal ones, pieces of sizes [1:2], halves [red+blue].
A grid comes last: "12 apple # 3 4".
"""

import re
from fractions import Fraction
from typing import cast, get_args

from subitize.language.scene import (
    Comparison,
    ComparisonWord,
    Entity,
    Form,
    Halves,
    Pieces,
    Portion,
    Quantifier,
    Relation,
    Scene,
    Whole,
)
from subitize.records import RelationWord

_NOUNS = (
    "apple,egg,burger,cookie,pizza,chocolate,lychee,parsnip,samosa,cinnamon stick,durian,pistachio,okra,coconut,olive,"
    "mushroom,candy,cake,watermelon,rice grain,loaf,banana,seed,person,butterfly,dog,cat,fish,ant,fly,axolotl,seahorse,"
    "kangaroo,koala,manatee,table,book,bottle,spoon,pencil,crib,paperclip,flute,trowel,corkscrew,shelf,page,fork,chair,"
    "cup,plate,vase,candle,tree,leaf,flower,bonsai,star,triangle,dot,bell,car,plane,ball"
)
NOUNS = tuple(_NOUNS.split(","))
COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")


def scene(written: str) -> Scene:
    """Read the short form of a scene."""
    written, _, grid = written.partition(" # ")
    entities, _, relations = written.partition(" | ")
    told = [_relation(part) for part in relations.split("; ") if part]
    return Scene(
        tuple(_entity(part) for part in entities.split(", ")),
        tuple(one for one in told if isinstance(one, Relation)),
        tuple(one for one in told if isinstance(one, Comparison)),
        (int(grid.split()[0]), int(grid.split()[1])) if grid else None,
    )


def _entity(written: str) -> Entity:
    written, _, form = written.removesuffix("]").partition(" [")
    number, _, thing = written.partition(" ")
    colour, _, noun = thing.partition(" ")
    how_many = int(number) if number.isdecimal() else cast(Quantifier, number)
    if colour not in COLOURS:
        return Entity(thing, how_many, form=_form(form))
    return Entity(noun, how_many, colour, _form(form))


def _form(written: str) -> Form | None:
    if written in ("", "whole"):
        return Whole() if written else None
    if "/" in written:
        return Portion(Fraction(written))
    if ":" in written:
        return Pieces(2, (1, int(written.partition(":")[2])))
    if written.rstrip("=").isdecimal():
        number = int(written.rstrip("="))
        return Pieces(number, (1,) * number if "=" in written else ())
    return Halves(tuple(written.split("+")))


def _relation(written: str) -> Relation | Comparison:
    match = re.fullmatch(r"(\d+) (.*) (\d+)", written)
    assert match, written
    if match[2] in get_args(ComparisonWord):
        return Comparison(int(match[1]), cast(ComparisonWord, match[2]), int(match[3]))
    return Relation(int(match[1]), cast(RelationWord, match[2]), int(match[3]))


def _cases(table: str) -> list[tuple[str, Scene]]:
    pairs = (line.split(" -> ") for line in table.strip().splitlines())
    return [(prompt.strip().replace("⏎", "\n"), scene(written.strip())) for prompt, written in pairs]


def _prompts(table: str) -> list[str]:
    return [line.strip().replace("⏎", "\n") for line in table.strip().splitlines()]


_BARE = """
7 apples -> 7 apple
7 apples. -> 7 apple
seven apples -> 7 apple
Seven apples. -> 7 apple
SEVEN APPLES! -> 7 apple
seven  apples!!! -> 7 apple
seven apples... -> 7 apple
1 apple -> 1 apple
1 apples -> 1 apple
one apple -> 1 apple
an apple -> 1 apple
An apple. -> 1 apple
a single apple -> 1 apple
one single apple -> 1 apple
just one apple -> 1 apple
single apple -> 1 apple
one lonely tree -> 1 tree
the apple -> 1 apple
the seven apples -> 7 apple
exactly 7 apples -> 7 apple
precisely seven apples -> 7 apple
only three bananas -> 3 banana
just four samosas -> 4 samosa
a total of nine olives -> 9 olive
two flies -> 2 fly
three leaves -> 3 leaf
4 fish -> 4 fish
4 fishes -> 4 fish
a fish -> 1 fish
five people -> 5 person
five persons -> 5 person
one person -> 1 person
two humans -> 2 person
six butterflies -> 6 butterfly
eight candies -> 8 candy
two shelves -> 2 shelf
two loaves -> 2 loaf
two loaves of bread -> 2 loaf
a loaf of bread -> 1 loaf
12 grains of rice -> 12 rice grain
12 rice grains -> 12 rice grain
three cinnamon sticks -> 3 cinnamon stick
3 cinnamon-sticks -> 3 cinnamon stick
five bonsais -> 5 bonsai
five bonsai -> 5 bonsai
five bonsai trees -> 5 bonsai
two airplanes -> 2 plane
two aeroplanes -> 2 plane
2 hamburgers -> 2 burger
nine paper clips -> 9 paperclip
three koala bears -> 3 koala
two sea horses -> 2 seahorse
one automobile -> 1 car
ten okra pods -> 10 okra
zero apples -> 0 apple
0 dogs -> 0 dog
twenty-one stars -> 21 star
twenty one stars -> 21 star
Forty-two triangles -> 42 triangle
a hundred dots -> 100 dot
one hundred and five dots -> 105 dot
hundred dots -> 100 dot
200 ants -> 200 ant
two hundred ants -> 200 ant
07 apples -> 7 apple
"seven apples" -> 7 apple
“seven apples” -> 7 apple
**seven** apples -> 7 apple
_seven_ apples -> 7 apple
"""

_GROUPS = """
a dozen eggs -> 12 egg
a dozen of eggs -> 12 egg
one dozen eggs -> 12 egg
two dozen eggs -> 24 egg
half a dozen eggs -> 6 egg
a half dozen eggs -> 6 egg
a half-dozen eggs -> 6 egg
half dozen eggs -> 6 egg
a pair of dogs -> 2 dog
pair of dogs -> 2 dog
two pairs of dogs -> 4 dog
a couple of cats -> 2 cat
a couple cats -> 2 cat
a trio of koalas -> 3 koala
a duo of seahorses -> 2 seahorse
a group of seven apples -> 7 apple
a set of four forks -> 4 fork
a bunch of seven bananas -> 7 banana
a collection of 5 books -> 5 book
a herd of 5 kangaroos -> 5 kangaroo
a school of eight fish -> 8 fish
a set of two spoons and two forks -> 2 spoon, 2 fork
a group of three dogs and a cat -> 3 dog, 1 cat
"""

_NUMBER_AFTER = """
apples: 7 -> 7 apple
apple: 7 -> 7 apple
apples: seven -> 7 apple
apples = 7 -> 7 apple
apples, exactly 7 -> 7 apple
apples, 7 -> 7 apple
apples, 7 of them -> 7 apple
Apples, exactly seven of them. -> 7 apple
apples (7) -> 7 apple
apples (seven) -> 7 apple
apple x 7 -> 7 apple
apple x7 -> 7 apple
apples × 7 -> 7 apple
7x apple -> 7 apple
7 x apples -> 7 apple
7 × apples -> 7 apple
red apples: 7 -> 7 red apple
number of apples: seven -> 7 apple
number of apples = 7 -> 7 apple
The number of apples is 7. -> 7 apple
the number of apples should be seven -> 7 apple
number of red apples: 7 -> 7 red apple
quantity of eggs: 12 -> 12 egg
seven (7) apples -> 7 apple
7 (seven) apples -> 7 apple
7 (seven) red apples -> 7 red apple
seven apples (7) -> 7 apple
seven apples (exactly 7) -> 7 apple
7 apples (seven apples) -> 7 apple
apples: 3, dogs: 2 -> 3 apple, 2 dog
dogs x 2, cats x 3 -> 2 dog, 3 cat
apples: 3; dogs: 2; cats: 1 -> 3 apple, 2 dog, 1 cat
apples (3) and dogs (2) -> 3 apple, 2 dog
"""

_OPENERS = """
An image with 7 apples -> 7 apple
An image with 1 apple -> 1 apple
an image of seven apples -> 7 apple
An image showing 4 mushrooms. -> 4 mushroom
A picture of 4 fish. -> 4 fish
A photo of two dogs -> 2 dog
a photograph of two dogs -> 2 dog
photo of two dogs -> 2 dog
Image of 3 cups -> 3 cup
picture: 3 cups -> 3 cup
a drawing of five flutes -> 5 flute
a painting of five flutes -> 5 flute
an illustration of five flutes -> 5 flute
clip-art of five flutes -> 5 flute
a clip art of five flutes -> 5 flute
clipart of five flutes -> 5 flute
a sketch of three trowels -> 3 trowel
a pencil drawing of three apples -> 3 apple
an oil painting of 6 flowers -> 6 flower
a watercolor painting of 6 flowers -> 6 flower
a watercolor of 6 flowers -> 6 flower
a cartoon of two dogs -> 2 dog
a close-up of a butterfly -> 1 butterfly
a 3D render of nine balls -> 9 ball
a stock photo of two bottles -> 2 bottle
a still life of 5 durians -> 5 durian
a top view of eight plates -> 8 plate
one picture of eight plates -> 8 plate
A high-quality photo of 3 lychees -> 3 lychee
A high quality, photorealistic image of 3 lychees -> 3 lychee
A beautiful, detailed illustration of ten stars -> 10 star
A simple vector illustration of ten stars -> 10 star
an image containing 7 apples -> 7 apple
an image that contains 7 apples -> 7 apple
an image which shows exactly 7 apples -> 7 apple
an image depicting 7 apples -> 7 apple
an image featuring 7 apples -> 7 apple
an image where there are 7 apples -> 7 apple
a picture in which there are two cribs -> 2 crib
The image shows 7 apples. -> 7 apple
The image should contain 7 apples. -> 7 apple
This picture shows two dogs. -> 2 dog
This is a picture of two dogs. -> 2 dog
There are 5 fish. -> 5 fish
There is 1 fish. -> 1 fish
There's an apple. -> 1 apple
There are 2 apples in this image. -> 2 apple
There are seven apples in the picture. -> 7 apple
There should be exactly seven apples. -> 7 apple
draw seven apples -> 7 apple
Draw: seven apples -> 7 apple
Please draw seven apples. -> 7 apple
please draw me seven apples -> 7 apple
Draw me a picture of seven apples, please. -> 7 apple
paint seven apples -> 7 apple
generate seven apples -> 7 apple
Generate an image of seven apples. -> 7 apple
Create an image showing seven apples -> 7 apple
make seven apples -> 7 apple
show me seven apples -> 7 apple
Give me seven apples -> 7 apple
depict seven apples -> 7 apple
render seven apples -> 7 apple
imagine seven apples -> 7 apple
I want seven apples. -> 7 apple
I would like seven apples -> 7 apple
I'd like to see seven apples -> 7 apple
I need an image with two chairs -> 2 chair
I would like you to draw two chairs -> 2 chair
We need a picture of two chairs -> 2 chair
Can you draw seven apples? -> 7 apple
Could you please draw seven apples? -> 7 apple
Hello! Could you please generate an image showing 12 butterflies? Thank you! -> 12 butterfly
Hi, can you show me two axolotls? Thanks. -> 2 axolotl
Prompt: seven apples -> 7 apple
A photo, two dogs -> 2 dog
A picture. Two dogs. -> 2 dog
"""

_ADJECTIVES = """
seven ripe apples -> 7 apple
seven fresh, ripe apples -> 7 apple
seven shiny big apples -> 7 apple
10 filled dots in white background -> 10 dot
1 filled dot in white background -> 1 dot
three cute little koalas -> 3 koala
three very cute koalas -> 3 koala
two identical chairs -> 2 chair
a big dog -> 1 dog
a beautiful flower -> 1 flower
a happy friendly dog -> 1 dog
five tiny ants -> 5 ant
5 realistic bottles -> 5 bottle
two cartoon cats -> 2 cat
a cartoon dog -> 1 dog
four medium-sized balls -> 4 ball
four hand-drawn triangles -> 4 triangle
two delicious pizzas -> 2 pizza
six juicy watermelons -> 6 watermelon
four separate books -> 4 book
"""

_SETTINGS = """
seven apples on a table -> 7 apple
seven apples on the table -> 7 apple
seven apples on a wooden table -> 7 apple
Seven apples lying on a table in a kitchen. -> 7 apple
On a table, seven apples -> 7 apple
On a wooden table there are seven apples. -> 7 apple
seven apples on a white background -> 7 apple
seven apples in white background -> 7 apple
seven apples on white background -> 7 apple
seven apples against a plain white background -> 7 apple
seven apples with a white background -> 7 apple
seven apples over a black background -> 7 apple
seven apples in front of a white background -> 7 apple
five mushrooms on grass -> 5 mushroom
five mushrooms in a green meadow -> 5 mushroom
two kangaroos in the desert at sunset -> 2 kangaroo
three seahorses swimming in the sea -> 3 seahorse
three planes flying in the sky -> 3 plane
three planes in a blue sky -> 3 plane
three planes under a blue sky -> 3 plane
four cars on a street in a city -> 4 car
four cookies on a plate -> 4 cookie
9 books on a shelf -> 9 book
two cats sleeping on a sofa in the living room -> 2 cat
three dogs running in a park -> 3 dog
six apples in a bowl -> 6 apple
two red apples on a green table -> 2 red apple
two dogs on a table and three cats on the floor -> 2 dog, 3 cat
seven apples on a table and a chair -> 7 apple, 1 chair
seven apples and a table -> 7 apple, 1 table
a table and seven apples on it -> 1 table, 7 apple
a table with seven apples -> 1 table, 7 apple
a table with seven apples on it -> 1 table, 7 apple
An image of a table with two plates and a cup -> 1 table, 2 plate, 1 cup
a person with two dogs -> 1 person, 2 dog
a dog playing with three balls -> 1 dog, 3 ball
"""

_T2ICOUNTBENCH = """
Generate 13 chairs on a wooden floor in a watercolor style. -> 13 chair
5 chairs on the wooden floor -> 5 chair
Generate 2 humans on a wooden floor. -> 2 person
Generate 9 human travelers in a valley. -> 9 person
Generate 1 human traveler in a valley. -> 1 person
three travellers in a valley -> 3 person
a flower pot with 5 flowers on a wooden table -> 5 flower
A flower pot with 8 flowers on a wooden table in a watercolor style. -> 8 flower
Generate a flower pot with 1 flower on a wooden table in a cartoon style. -> 1 flower
Generate a flower pot with 5 plus 6 flowers on a wooden table. -> 11 flower
a flower pot with a flower, a flower and a flower on a wooden table -> 1 flower, 1 flower, 1 flower
a pot with exactly 3 red flowers and 2 blue flowers -> 3 red flower, 2 blue flower
a flowerpot with 5 flowers and two cats -> 5 flower, 2 cat
4 triangles on a painting on a wall in a cartoon style -> 4 triangle
1 apple on an apple tree in a city garden -> 1 apple
1 apple on an apple tree in a grassland -> 1 apple
7 watermelons in a farmland -> 7 watermelon
4 watermelons in a city market -> 4 watermelon
4 cats in a temperate grassland -> 4 cat
3 triangles on earthy surface -> 3 triangle
3 triangles on the earthy surface -> 3 triangle
3 triangles on a city billboard -> 3 triangle
9 humans in a city central business district -> 9 person
15 cats in an office -> 15 cat
7 chairs in a bus station -> 7 chair
8 trees alongside a city's main road -> 8 tree
8 trees along a river -> 8 tree
13 trees in a valley -> 13 tree
"""

_REFINED = """
Generate 3 times 4 watermelons on a wooden table in cartoon style. -> 12 watermelon
Generate 1 times 7 apples on a wooden table. -> 7 apple
three times four apples -> 12 apple
7 times 2 apples -> 14 apple
two times three apples and a dog -> 6 apple, 1 dog
0 times 4 apples -> 0 apple
3 times 0 apples -> 0 apple
Generate 5 plus 6 triangles on a painting on a wall. -> 11 triangle
6 plus 6 humans on a wooden floor -> 12 person
1 plus 1 apples -> 2 apple
3 times 4 red apples -> 12 red apple
3 plus 4 big red apples -> 7 red apple
1 times 3 filled dots in white background -> 3 dot
2 plus 3 cartoon cats and a dog -> 5 cat, 1 dog
five plus six apples -> 11 apple
seven plus two apples -> 9 apple
exactly 2 plus 3 human travelers in a valley -> 5 person
12 humans on a wooden floor, with 3 row 4 column grid -> 12 person # 3 4
Generate 12 watermelons on a wooden table in cartoon style, with a 3 row 4 column grid. -> 12 watermelon # 3 4
seven apples in a one row seven column grid on a table -> 7 apple # 1 7
Generate 8 trees alongside a city's main road, with a 2 row 4 column grid. -> 8 tree # 2 4
5 triangles on the left, 6 triangles on the right, on a painting on a wall -> 5 triangle, 6 triangle | 0 left of 1
7 cats on the left, 7 cats on the right, on a wooden floor -> 7 cat, 7 cat | 0 left of 1
a flower pot with 2 flowers on the left, 3 flowers on the right, on a table -> 2 flower, 3 flower | 0 left of 1
an apple, an apple, an apple and an apple on a wooden table -> 1 apple, 1 apple, 1 apple, 1 apple
an apple, an apple, an apple on a wooden table -> 1 apple, 1 apple, 1 apple
1 cat at row 1 column 1 and 1 cat at row 1 column 2, in an office -> 1 cat, 1 cat # 1 2
1 cat at row 1 column 1, 1 cat at row 1 column 2 and 1 cat at row 2 column 1 -> 1 cat, 1 cat, 1 cat # 2 2
one dog in row one column one and one dog in row two column one -> 1 dog, 1 dog # 2 1
"""

_STYLES = """
seven apples, high quality -> 7 apple
seven apples, photorealistic, 4k -> 7 apple
seven apples, 4K, highly detailed, sharp focus -> 7 apple
seven apples in watercolor -> 7 apple
seven apples in the style of a cartoon -> 7 apple
seven apples in the style of Van Gogh -> 7 apple
seven apples in cartoon style -> 7 apple
seven apples, digital art -> 7 apple
seven apples, studio lighting, on a white background -> 7 apple
seven apples seen from above -> 7 apple
High quality, 4k, seven apples -> 7 apple
Photorealistic. Seven apples. -> 7 apple
seven apples — high quality -> 7 apple
seven apples in total -> 7 apple
seven apples altogether -> 7 apple
seven apples, no more, no less -> 7 apple
Exactly seven apples. No more, no less. -> 7 apple
seven apples and nothing else -> 7 apple
seven apples, nothing else in it -> 7 apple
seven apples, not overlapping -> 7 apple
seven apples without overlap -> 7 apple
seven non-overlapping apples -> 7 apple
seven clearly visible apples -> 7 apple
seven apples scattered randomly -> 7 apple
seven apples placed at random -> 7 apple
seven apples, without text -> 7 apple
seven apples, white background, no text -> 7 apple
seven apples, top view -> 7 apple
seven apples, oil painting, high quality -> 7 apple
seven apples (high quality) -> 7 apple
seven apples for a children's book -> 7 apple
"""

_COLOURS = """
4 black bottles. -> 4 black bottle
Three green apples. -> 3 green apple
one white cat -> 1 white cat
a red apple -> 1 red apple
an orange cat -> 1 orange cat
two gray koalas -> 2 grey koala
two grey koalas -> 2 grey koala
five bright red balls -> 5 red ball
five red-colored balls -> 5 red ball
five red coloured balls -> 5 red ball
five big red balls -> 5 red ball
five red, shiny balls -> 5 red ball
five shiny, red balls -> 5 red ball
seven apples coloured red -> 7 red apple
seven apples painted red -> 7 red apple
seven apples, all red -> 7 red apple
seven apples, all of them red -> 7 red apple
seven apples that are red -> 7 red apple
seven apples which are all red -> 7 red apple
seven apples, red -> 7 red apple
seven apples (red) -> 7 red apple
Draw seven apples. The apples are red. -> 7 red apple
Draw seven apples. They are red. -> 7 red apple
Draw seven apples. Make them red. -> 7 red apple
Draw seven apples. Make the apples red. -> 7 red apple
Two white apples and 2 red cats. -> 2 white apple, 2 red cat
3 black bottles and 3 red bottles. -> 3 black bottle, 3 red bottle
three red and two green apples -> 3 red apple, 2 green apple
three red, two green and one yellow apple -> 3 red apple, 2 green apple, 1 yellow apple
a red and a green apple -> 1 red apple, 1 green apple
three red apples and four green ones -> 3 red apple, 4 green apple
a red apple and a green one -> 1 red apple, 1 green apple
seven apples: three red and four green -> 3 red apple, 4 green apple
seven apples: three red apples and four green apples -> 3 red apple, 4 green apple
seven apples, three red and four green -> 3 red apple, 4 green apple
seven apples, three of them red and four of them green -> 3 red apple, 4 green apple
seven apples, of which three are red and four are green -> 3 red apple, 4 green apple
five cats, 3 black ones and 2 white ones -> 3 black cat, 2 white cat
two cats: a black one and a white one -> 1 black cat, 1 white cat
a red and an orange apple -> 1 red apple, 1 orange apple
two orange and three red balls -> 2 orange ball, 3 red ball
three dogs and two red and one green apple -> 3 dog, 2 red apple, 1 green apple
two cats, one black and one white -> 1 black cat, 1 white cat
seven apples and two red apples -> 7 apple, 2 red apple
3 red apples. 2 green apples. -> 3 red apple, 2 green apple
one pink candle, two purple candles and 3 blue candles -> 1 pink candle, 2 purple candle, 3 blue candle
brown loaves: 2, yellow bananas: 3 -> 2 brown loaf, 3 yellow banana
"""

_SEVERAL = """
Three dogs and three burgers. -> 3 dog, 3 burger
1 ant and one axolotl. -> 1 ant, 1 axolotl
a cat and a dog -> 1 cat, 1 dog
a cat and dog -> 1 cat, 1 dog
a fork, spoon and cup -> 1 fork, 1 spoon, 1 cup
5 lychees, 2 coconuts and one ant. -> 5 lychee, 2 coconut, 1 ant
5 lychees, 2 coconuts, and one ant. -> 5 lychee, 2 coconut, 1 ant
5 lychees, 2 coconuts, one ant -> 5 lychee, 2 coconut, 1 ant
5 lychees & 2 coconuts -> 5 lychee, 2 coconut
5 lychees + 2 coconuts -> 5 lychee, 2 coconut
5 lychees plus 2 coconuts -> 5 lychee, 2 coconut
5 lychees as well as 2 coconuts -> 5 lychee, 2 coconut
5 lychees together with 2 coconuts -> 5 lychee, 2 coconut
5 lychees along with 2 coconuts -> 5 lychee, 2 coconut
5 lychees; 2 coconuts -> 5 lychee, 2 coconut
5 lychees. 2 coconuts. -> 5 lychee, 2 coconut
- 5 lychees⏎- 2 coconuts -> 5 lychee, 2 coconut
5 lychees⏎2 coconuts⏎1 ant -> 5 lychee, 2 coconut, 1 ant
There are two dogs and there are three cats. -> 2 dog, 3 cat
There are two dogs. There are three cats. -> 2 dog, 3 cat
Draw two pages, a vase and four seeds on a table. -> 2 page, 1 vase, 4 seed
a dozen eggs and half a dozen bananas -> 12 egg, 6 banana
two apples and three apples -> 2 apple, 3 apple
an apple and another apple -> 1 apple, 1 apple
an apple, an apple and another apple -> 1 apple, 1 apple, 1 apple
three dogs and one more dog -> 3 dog, 1 dog
zero dogs and three cats -> 0 dog, 3 cat
one bell, one car, one plane and one ball -> 1 bell, 1 car, 1 plane, 1 ball
"""

_POSITIONS = """
There are 3 trowels below two samosas. -> 3 trowel, 2 samosa | 0 below 1
There is one cookie above one kangaroo. -> 1 cookie, 1 kangaroo | 0 above 1
There are 4 cookies to the right of 2 flowers. -> 4 cookie, 2 flower | 0 right of 1
There are 3 cookies to the left of 2 lychees. -> 3 cookie, 2 lychee | 0 left of 1
three dogs above two cats -> 3 dog, 2 cat | 0 above 1
three dogs beneath two cats -> 3 dog, 2 cat | 0 below 1
three dogs underneath two cats -> 3 dog, 2 cat | 0 below 1
a cat under a table -> 1 cat, 1 table | 0 under 1
three dogs under two cats -> 3 dog, 2 cat | 0 below 1
a cat on top of a car -> 1 cat, 1 car | 0 on top of 1
a dog behind a tree -> 1 dog, 1 tree | 0 behind 1
there is a cat in front of a car -> 1 cat, 1 car | 0 in front of 1
apple -> 1 apple
cat, dog, apple -> 1 cat, 1 dog, 1 apple
three cats and twice as many dogs -> 3 cat, 6 dog
twelve cats and a third as many dogs -> 12 cat, 4 dog
eight red apples and a quarter as many cups -> 8 red apple, 2 cup
three dogs left of two cats -> 3 dog, 2 cat | 0 left of 1
three dogs right of two cats -> 3 dog, 2 cat | 0 right of 1
three dogs on the left of two cats -> 3 dog, 2 cat | 0 left of 1
three dogs on the right side of two cats -> 3 dog, 2 cat | 0 right of 1
Three dogs are above two cats. -> 3 dog, 2 cat | 0 above 1
three dogs standing to the left of two cats -> 3 dog, 2 cat | 0 left of 1
three dogs placed above a table -> 3 dog, 1 table | 0 above 1
three dogs which are above two cats -> 3 dog, 2 cat | 0 above 1
The dog is above the cat. -> 1 dog, 1 cat | 0 above 1
The two dogs are to the left of the three cats. -> 2 dog, 3 cat | 0 left of 1
Draw an image of 2 red balls above 3 blue balls. -> 2 red ball, 3 blue ball | 0 above 1
two balls above three balls -> 2 ball, 3 ball | 0 above 1
three dogs and a fish above two cats -> 3 dog, 1 fish, 2 cat | 0 above 2; 1 above 2
three dogs above two cats and a fish -> 3 dog, 2 cat, 1 fish | 0 above 1; 0 above 2
a star above a tree above a dog -> 1 star, 1 tree, 1 dog | 0 above 1; 1 above 2
To the left of two cats there are three dogs. -> 2 cat, 3 dog | 1 left of 0
Above two cats are three dogs. -> 2 cat, 3 dog | 1 above 0
Below the table, there are two cats. -> 1 table, 2 cat | 1 below 0
Two dogs and three cats. The dogs are above the cats. -> 2 dog, 3 cat | 0 above 1
There are 2 dogs and 3 cats; the cats are to the left of the dogs. -> 2 dog, 3 cat | 1 left of 0
two dogs on the left and three cats on the right -> 2 dog, 3 cat | 0 left of 1
two dogs on the right and three cats on the left -> 2 dog, 3 cat | 1 left of 0
two dogs to the left, three cats to the right -> 2 dog, 3 cat | 0 left of 1
On the left there are two dogs, on the right three cats. -> 2 dog, 3 cat | 0 left of 1
On the left, two dogs; on the right, three cats. -> 2 dog, 3 cat | 0 left of 1
On the left side two dogs and on the right side three cats -> 2 dog, 3 cat | 0 left of 1
There are two dogs on the left. There are three cats on the right. -> 2 dog, 3 cat | 0 left of 1
two dogs in the left half of the image and three cats in the right half of the image -> 2 dog, 3 cat | 0 left of 1
three stars at the top and two trees at the bottom -> 3 star, 2 tree | 0 above 1
At the top there are three stars and at the bottom two trees. -> 3 star, 2 tree | 0 above 1
two dogs on the left, a cat in the middle and three fish on the right -> 2 dog, 1 cat, 3 fish | 0 left of 1; 1 left of 2
two dogs and a cup on the left and three cats on the right -> 2 dog, 1 cup, 3 cat | 0 left of 2; 1 left of 2
Two dogs and three cats. The dogs are on the left and the cats are on the right. -> 2 dog, 3 cat | 0 left of 1
Draw 3 cats and 2 dogs, where the cats are on the left of the dogs. -> 3 cat, 2 dog | 0 left of 1
Three dogs above two cats. Four fish to the left of five cups. -> 3 dog, 2 cat, 4 fish, 5 cup | 0 above 1; 2 left of 3
there is a dog. it is black. it is above a cat. -> 1 black dog, 1 cat | 0 above 1
Three planes in the sky above two cars on a street. -> 3 plane, 2 car | 0 above 1
two apples on the left and three apples on the right -> 2 apple, 3 apple | 0 left of 1
"""

_OPEN = """
some apples -> some apple
many apples -> many apple
a few apples -> few apple
lots of apples -> many apple
a lot of apples -> many apple
only a few dogs -> few dog
Just a few dogs. -> few dog
few dogs -> few dog
A picture of many ants. -> many ant
There are many ants. -> many ant
There are some cats in this image. -> some cat
Draw lots of stars on a white background. -> many star
please paint me a few red balls -> few red ball
many red apples and a few green apples -> many red apple, few green apple
many dogs and a few cats -> many dog, few cat
There are three dogs and there are many cats. -> 3 dog, many cat
three dogs and many cats -> 3 dog, many cat
some fish -> some fish
no apples -> 0 apple
No dogs. -> 0 dog
There are no dogs in the picture. -> 0 dog
no apples but three bananas -> 0 apple, 3 banana
seven apples but no bananas -> 7 apple, 0 banana
two cats and no dogs -> 2 cat, 0 dog
An image with no kangaroos and with no cribs. -> 0 kangaroo, 0 crib
a great many ants and very few flies -> many ant, few fly
a large number of candles -> many candle
a small number of candles -> few candle
plenty of cookies on a wooden table -> many cookie
many olives, high quality -> many olive
"""

_HELD = """
An image of a vase. There are many flowers in the vase. -> many flower, 1 vase | 0 in 1
An image of a table. There are many plates on the table. -> many plate, 1 table | 0 on 1
An image of a plate. There are 4 olives on the plate. -> 4 olive, 1 plate | 0 on 1
An image of a table. There are 3 plates on the table. -> 3 plate, 1 table | 0 on 1
An image of a table. There are no grains of rice on the table. -> 0 rice grain, 1 table | 0 on 1
A picture of a cake. There are only a few candles on it. -> few candle, 1 cake | 0 on 1
a vase without flowers -> 0 flower, 1 vase | 0 in 1
a vase without any flowers -> 0 flower, 1 vase | 0 in 1
a vase with no flowers -> 0 flower, 1 vase | 0 in 1
a vase with no flowers in it -> 0 flower, 1 vase | 0 in 1
A vase that has no flowers. -> 0 flower, 1 vase | 0 in 1
The vase has no flowers. -> 0 flower, 1 vase | 0 in 1
There is a vase without flowers. -> 0 flower, 1 vase | 0 in 1
There are no flowers in the vase. -> 0 flower, 1 vase | 0 in 1
no flowers in a vase -> 0 flower, 1 vase | 0 in 1
a vase with many flowers -> many flower, 1 vase | 0 in 1
a vase with lots of flowers -> many flower, 1 vase | 0 in 1
a vase with only a few flowers -> few flower, 1 vase | 0 in 1
a vase containing a few flowers -> few flower, 1 vase | 0 in 1
A vase holding many red flowers -> many red flower, 1 vase | 0 in 1
a white vase with a few red flowers -> few red flower, 1 white vase | 0 in 1
many flowers in a vase -> many flower, 1 vase | 0 in 1
a few flowers in the vase -> few flower, 1 vase | 0 in 1
three flowers in a vase -> 3 flower, 1 vase | 0 in 1
a vase with 3 flowers -> 3 flower, 1 vase | 0 in 1
a cake with three candles -> 3 candle, 1 cake | 0 on 1
a cake with no candles on it -> 0 candle, 1 cake | 0 on 1
A cake without candles. -> 0 candle, 1 cake | 0 on 1
a car without any people -> 1 car, 0 person
a cat with no ball -> 1 cat, 0 ball
a dog without a cup -> 1 dog, 0 cup
many candles on a cake -> many candle, 1 cake | 0 on 1
a few books on a shelf -> few book, 1 shelf | 0 on 1
many books on the shelf -> many book, 1 shelf | 0 on 1
a shelf with only a few books -> few book, 1 shelf | 0 on 1
A shelf. No books on the shelf. -> 0 book, 1 shelf | 0 on 1
a book without pages -> 0 page, 1 book | 0 in 1
a book that has many pages -> many page, 1 book | 0 in 1
a watermelon with no seeds -> 0 seed, 1 watermelon | 0 in 1
a watermelon without any seeds in it -> 0 seed, 1 watermelon | 0 in 1
Only a few seeds in a watermelon. -> few seed, 1 watermelon | 0 in 1
a plate with many olives on it -> many olive, 1 plate | 0 on 1
a table with many grains of rice -> many rice grain, 1 table | 0 on 1
There are a few olives on a plate. -> few olive, 1 plate | 0 on 1
Please draw a table. There are some plates on it. -> some plate, 1 table | 0 on 1
a handful of books on a shelf -> few book, 1 shelf | 0 on 1
There's a vase but there are no flowers in it. -> 0 flower, 1 vase | 0 in 1
a watermelon, and there are no seeds in it -> 0 seed, 1 watermelon | 0 in 1
The shelf has many books on it. -> many book, 1 shelf | 0 on 1
In the vase there are many flowers. -> many flower, 1 vase | 0 in 1
On the table there are no plates. -> 0 plate, 1 table | 0 on 1
On the shelf, there are only a few books. -> few book, 1 shelf | 0 on 1
An image of a tree. There are many ants on the tree. -> many ant, 1 tree | 0 on 1
"""

_COMPARED = """
An image with some koalas and some flies. There are fewer koalas than flies. -> some koala, some fly | 0 fewer 1
An image with some ants and some flutes. There are as many ants as flutes. -> some ant, some flute | 0 as many 1
more cats than dogs -> some cat, some dog | 0 more 1
fewer dogs than cats -> some dog, some cat | 0 fewer 1
less dogs than cats -> some dog, some cat | 0 fewer 1
as many apples as bananas -> some apple, some banana | 0 as many 1
There are more cats than dogs. -> some cat, some dog | 0 more 1
There are exactly as many cats as dogs. -> some cat, some dog | 0 as many 1
an equal number of cats and dogs -> some cat, some dog | 0 as many 1
the same number of cats and dogs -> some cat, some dog | 0 as many 1
the same number of cats as dogs -> some cat, some dog | 0 as many 1
A picture with equal numbers of cats and dogs. -> some cat, some dog | 0 as many 1
some cats and some dogs, more cats than dogs -> some cat, some dog | 0 more 1
some cats and some dogs, with more cats than dogs -> some cat, some dog | 0 more 1
some cats and dogs, but fewer cats than dogs -> some cat, some dog | 0 fewer 1
A picture of cats and dogs with more dogs than cats. -> some cat, some dog | 1 more 0
Cats and dogs. There are fewer cats than dogs. -> some cat, some dog | 0 fewer 1
Draw an image with more red balls than blue cars. -> some red ball, some blue car | 0 more 1
more grains of rice than olives on a white background -> some rice grain, some olive | 0 more 1
"""

_PORTIONS = """
half a pizza -> 1 pizza [1/2]
half an apple -> 1 apple [1/2]
half of a pizza -> 1 pizza [1/2]
Half of an apple. -> 1 apple [1/2]
a half of a cake -> 1 cake [1/2]
one half of an apple -> 1 apple [1/2]
a quarter of a pizza -> 1 pizza [1/4]
one quarter of a cake -> 1 cake [1/4]
a third of a cake -> 1 cake [1/3]
two thirds of an apple -> 1 apple [2/3]
three quarters of a pizza -> 1 pizza [3/4]
half a loaf of bread -> 1 loaf [1/2]
half a green apple -> 1 green apple [1/2]
There is half of an apple on the table. -> 1 apple [1/2]
one and a half apples -> 1 apple, 1 apple [1/2]
two and a half pizzas -> 2 pizza, 1 pizza [1/2]
An image of three and a half cakes. -> 3 cake, 1 cake [1/2]
two and a quarter pizzas -> 2 pizza, 1 pizza [1/4]
an apple and a half -> 1 apple, 1 apple [1/2]
two apples and half of another -> 2 apple, 1 apple [1/2]
two apples and half of another one -> 2 apple, 1 apple [1/2]
two apples and a half of another apple -> 2 apple, 1 apple [1/2]
There is one apple and a quarter of another apple. -> 1 apple, 1 apple [1/4]
three cakes and half a cake -> 3 cake, 1 cake [1/2]
three whole cakes and half a cake -> 3 cake [whole], 1 cake [1/2]
two loaves of bread and a quarter of another loaf of bread -> 2 loaf, 1 loaf [1/4]
On the table there are two pizzas and half of another pizza. -> 2 pizza, 1 pizza [1/2]
two dogs and half an apple -> 2 dog, 1 apple [1/2]
a red apple and half of another red apple -> 1 red apple, 1 red apple [1/2]
half of an apple and two whole apples -> 1 apple [1/2], 2 apple [whole]
a half apple -> 1 apple [1/2]
a quarter pizza -> 1 pizza [1/4]
half of the pizza -> 1 pizza [1/2]
half a pizza and a quarter of a cake -> 1 pizza [1/2], 1 cake [1/4]
two whole apples -> 2 apple [whole]
There are 2 intact forks. -> 2 fork [whole]
There are no whole apples. -> 0 apple [whole]
"""

_PIECES = """
An apple cut into thirds. -> 1 apple [3=]
An apple cut into 5 pieces. -> 1 apple [5]
A loaf of bread cut into five parts. -> 1 loaf [5]
an apple sliced into four equal pieces -> 1 apple [4=]
an apple cut into four equally sized slices -> 1 apple [4=]
an apple, cut into quarters -> 1 apple [4=]
an apple cut in half -> 1 apple [2=]
an apple cut into halves -> 1 apple [2=]
an apple cut into two halves -> 1 apple [2=]
an apple that is cut into quarters -> 1 apple [4=]
An apple is cut into 5 pieces. -> 1 apple [5]
a pizza divided into 4 slices -> 1 pizza [4]
a pizza split into eighths -> 1 pizza [8=]
one pizza in 6 slices -> 1 pizza [6]
Draw a red apple cut into 3 pieces on a white background. -> 1 red apple [3]
a fork broken in two -> 1 fork [2]
a fork broken into two -> 1 fork [2]
a plate that is broken into two pieces -> 1 plate [2]
a pencil snapped in two -> 1 pencil [2]
There is a plate. It is broken into three pieces. -> 1 plate [3]
There is 1 fork on the table, but it is broken into two pieces. -> 1 fork [2]
three apples, each cut into quarters -> 3 apple [4=]
three apples cut in half -> 3 apple [2=]
two pizzas, each of them cut into 6 slices -> 2 pizza [6]
There are 3 forks on the table, but one fork is broken into two pieces. -> 2 fork, 1 fork [2]
three forks, one of them broken in two -> 2 fork, 1 fork [2]
an apple that has been cut into quarters -> 1 apple [4=]
three forks, of which one is broken into two pieces -> 2 fork, 1 fork [2]
There are 3 forks. One fork is broken into two pieces. -> 2 fork, 1 fork [2]
three forks, one broken in two -> 2 fork, 1 fork [2]
three forks, one of which is broken into two pieces -> 2 fork, 1 fork [2]
Three forks and one of them is broken in two. -> 2 fork, 1 fork [2]
There are three forks and one fork is broken into two pieces. -> 2 fork, 1 fork [2]
three forks, but one is broken into two pieces -> 2 fork, 1 fork [2]
three forks with one of them broken into two pieces -> 2 fork, 1 fork [2]
There are five plates. One of them is broken into three pieces. -> 4 plate, 1 plate [3]
five plates, two of them broken in two -> 3 plate, 2 plate [2]
two forks and one fork broken into two pieces -> 2 fork, 1 fork [2]
two whole forks and one fork broken into two pieces -> 2 fork [whole], 1 fork [2]
A pencil broken into two pieces. One piece is twice the size of the other. -> 1 pencil [1:2]
A banana is cut into two pieces, one twice the size of the other. -> 1 banana [1:2]
a banana cut into two pieces, one piece twice as big as the other -> 1 banana [1:2]
a pencil broken in two, one part being twice as long as the other part -> 1 pencil [1:2]
a banana cut into two parts, with one of them half the size of the other -> 1 banana [1:2]
a banana cut into two pieces and one piece is three times the size of the other -> 1 banana [1:3]
"""

_HALVES = """
An image of a pencil where one half of it is red and the other half is blue. -> 1 pencil [red+blue]
a pencil, half red and half blue -> 1 pencil [red+blue]
a pencil that is half red and half blue -> 1 pencil [red+blue]
A pencil is half red and half blue. -> 1 pencil [red+blue]
a half red, half blue pencil -> 1 pencil [red+blue]
a half red and half blue pencil -> 1 pencil [red+blue]
a half-orange, half-black banana -> 1 banana [orange+black]
a banana. One half of it is orange, the other half is black. -> 1 banana [orange+black]
A banana. One half of the banana is orange and the other half is black. -> 1 banana [orange+black]
a pencil, one half red and the other half blue -> 1 pencil [red+blue]
a pencil, one half red and the other blue -> 1 pencil [red+blue]
One half of a pencil is red. -> 1 pencil [red]
a pencil painted half red and half blue -> 1 pencil [red+blue]
a pencil with one half red and one half blue -> 1 pencil [red+blue]
half of the pencil is red and the other half is blue -> 1 pencil [red+blue]
one half of a pencil is red and the other half is blue -> 1 pencil [red+blue]
"""

_TOGETHER = """
three apples on the left, many bananas on the right -> 3 apple, many banana | 0 left of 1
many dogs above three cats -> many dog, 3 cat | 0 above 1
a few red dogs to the left of many cats -> few red dog, many cat | 0 left of 1
some cats and some dogs on the right, three cups on the left -> some cat, some dog, 3 cup | 2 left of 0; 2 left of 1
two dogs and three cats. The dogs are above the cats. There are many fish. -> 2 dog, 3 cat, many fish | 0 above 1
more cats than dogs above a tree -> some cat, some dog, 1 tree | 0 above 2; 1 above 2; 0 more 1
5 plus 6 red apples and a few cats -> 11 red apple, few cat
seven apples, three red and four green; no dogs -> 3 red apple, 4 green apple, 0 dog
many apples (high quality) and bananas: 3 -> many apple, 3 banana
12 eggs, exactly 7 dogs, but no cats -> 12 egg, 7 dog, 0 cat
two dogs but three cats -> 2 dog, 3 cat
three apples, they are red -> 3 red apple
three apples. They are cut in half. -> 3 apple [2=]
an apple cut into quarters above two dogs -> 1 apple [4=], 2 dog | 0 above 1
a pencil, half red and half blue, to the left of a cup -> 1 pencil [red+blue], 1 cup | 0 left of 1
a flower pot with many flowers -> many flower
a flower pot with a few flowers and three cats -> few flower, 3 cat
three cats and there are twice as many dogs on a table -> 3 cat, 6 dog
The dog has no ball. -> 1 dog, 0 ball
"""

_TABLES = (
    _BARE,
    _GROUPS,
    _NUMBER_AFTER,
    _OPENERS,
    _ADJECTIVES,
    _SETTINGS,
    _T2ICOUNTBENCH,
    _REFINED,
    _STYLES,
    _COLOURS,
    _SEVERAL,
    _POSITIONS,
)
_QUANTITY_TABLES = (_OPEN, _HELD, _COMPARED, _PORTIONS, _PIECES, _HALVES)
OF_QUANTITIES = [case for table in _QUANTITY_TABLES for case in _cases(table)]
UNDERSTOOD = [case for table in _TABLES for case in _cases(table)] + OF_QUANTITIES
TOGETHER = _cases(_TOGETHER)
"""Prompts with words for open numbers or parts, and others that the tables above have without them."""

_NOT_UNDERSTOOD = """
An image of a shelf. There are 3 books on the shelf and 2 books to the left of the shelf.
3 books on the shelf and 2 cups to the left of the shelf.
apples
apples, cats
apple, apple
five cats and half as many dogs
three apples and twice as many apples
three cats, two cups and twice as many dogs
some cats and twice as many dogs
a tree without a leaf
two cars without any people
several apples
a little chocolate
dozens of eggs
hundreds of ants
not seven apples
not a single apple
Do not draw seven apples.
Don't draw seven apples.
seven apples, not eight
anything but seven apples
seven apples except two
seven apples without leaves
at least seven apples
at most seven apples
up to seven apples
more than seven apples
fewer than seven apples
less than 7 apples
over seven apples
under seven apples
about seven apples
around seven apples
approximately 7 apples
roughly seven apples
nearly seven apples
almost seven apples
seven or so apples
a dozen or so
a dozen or so eggs
a couple dozen eggs
seven apples or more
seven apples or eight bananas
seven or eight apples
7-8 apples
7 to 8 apples
between 7 and 8 apples
7/8 apples
7,8 apples
7+ apples
~7 apples
-7 apples
minus seven apples
1.5 apples
½ apple
two apples and a half
a slice of pizza
seven slices of pizza
seven apple slices
seven half apples
twice as many apples as bananas
7 times 2
7 times apples
7 apples times 2
apples: 3 times 4
7 x 2 apples
2 times 3 times 4 apples
2 plus 3 plus 4 apples
2 times 3 plus 4 apples
3 red times 4 apples
3 times 4 red and 2 green apples
a pot with 5 apples
a pot with a handle
a pot with a pot with 3 flowers
a pot with 3 flowers on the left, a pot with 4 flowers on the right
a flower pot with 5 flowers to the left of a cat
3 cats above a flower pot with 5 flowers
a flower pot with 5 flowers on the left, a cat on the right
a cat, a cat, a cat to the left of a dog
a cat, a cat, a cat on the left, a dog on the right
a dozen times 2 eggs
20 times 20 apples
150 plus 51 apples
1.5 times 2 apples
3 times a dozen eggs
three plus one apple
3 times 4 unicorns
seven apples, 2 times 2 of them red
7x7 dots
3 + 4 apples
seven plus
7 plus apples
seven apples plus two
seven apples minus two
seven apples - two
apples = 3 + 4
seven apples, two of them eaten
seven apples, two of them red
seven apples, three red and two green
seven apples, two red apples
seven apples, two rotten
seven apples (two eaten)
seven eaten apples
7 apples (8 apples)
7 apples (or 8)
seven (8) apples
seven apples: 8
7 apples. 8 apples.
7 apples, 8 apples
Draw seven apples. Remove two.
Draw seven apples. Then eat two.
Draw 7 apples. The 8 apples are red.
seven unicorns
seven purple unicorns
seven dogs and two dragons
seven fruits
five animals
three animals: two dogs and a cat
seven objects
seven men
two puppies
seven apple trees
two chocolate cakes
two star-shaped cookies
three toy cars
two dog houses
seven oranges
seven pictures of apples
two images of seven apples
four photos of a cat
a picture book
a painting and two dogs
a pair of dogs each with 3 balls
two dogs with three balls
each dog has two balls
two dogs, each with a ball
three plates with two cookies each
two boxes of three apples
two groups of three dogs
seven apples on two tables
seven apples in three rows
seven apples in a row
a row of seven apples
seven apples arranged in a circle
a 3x3 grid of dots
seven apples in 2 bowls
11 apples, with a 3 row 4 column grid
12 apples, with a 3 row grid
12 apples with a 0 row 4 column grid
3 apples with a 1.5 row 2 column grid
12 apples with a grid
12 apples with a 3 row 4 column
12 apples, with a 3 row 4 column grid, with a 4 row 3 column grid
5 dogs and 7 cats, with a 3 row 4 column grid
6 dogs on the left, 6 dogs on the right, with a 3 row 4 column grid
6 dogs above 6 cats with a 3 row 4 column grid
with a 3 row 4 column grid, 12 apples
a 3 row 4 column grid
12 apples and with a 3 row 4 column grid
many apples with a 3 row 4 column grid
a dog at row 1 column 1
1 apple at row 1 column 1 and 1 apple at row 1 column 1
1 apple at row 1 column 1 and 1 apple at row 2 column 2
1 apple at row 1 column 2 and 1 apple at row 1 column 1
1 apple at row 1 column 1 and 1 apple
1 apple at row 1 column 1 and 2 apples at row 1 column 2
1 apple at row 1 column 1 at row 1 column 2 and 1 apple at row 1 column 2
1 apple at row 1 and 1 apple at row 2
at row 1 column 1 an apple
1 dog at row 1 column 1 and 1 cat at row 1 column 2
a dog above a cat at row 1 column 1
a flower pot
a flower pot and 5 flowers
a flower pot with
a flower pot with flowers
two flower pots with 5 flowers
5 flower pots
3 dogs and a flower pot with
a flower pot with 5 flowers each
a flower with a flower pot with
5 apples on a tree with 3 dogs
5 apples on an apple tree with 3 dogs
2 trees and 5 apples on an apple tree
a tree and 5 apples on an apple tree
a shelf and 5 books on a wooden shelf
5 apples on two apple trees
5 apple trees in a valley
5 trees alongside a table
5 trees alongside two roads
5 trees along a person
5 trees in a valley with a person
9 humans in a city central
9 humans in a business
7 chairs in two bus stations
3 dots in a square
9 travel people
9 human beings travelers
a bowl of apples
a bowl of seven apples
four of seven apples
seven of the apples
both apples
all seven apples
two dogs and cats
dogs and two cats
a red apple and table
seven dogs/cats
seven turquoise apples
seven dark red apples
seven light blue cars
seven colorful apples
seven apples of different colours
two black and white cats
a black and white cat
seven red and green apples
three red, green and yellow apples
three red and apples
seven apples in black and white
seven apples on a table painted red
seven apples in a bowl of red color
seven apples on the left
seven apples at the top
an apple in the middle
two dogs on the left and three cats
two dogs, three cats on the right
On the left two dogs and three cats on the right
two dogs at the top and three cats on the right
two dogs next to three cats
two dogs near a tree
two dogs beside three cats
two dogs behind three cats
two dogs in front of three cats
two dogs between three cats
three ants on a leaf
a cat in a car
two dogs around a table
three dogs above and two cats
three dogs above
above two cats
three dogs above two cats below a fish
Two dogs and three cats. The dogs are above the cats. The cats are above the dogs.
two dogs not above three cats
a person walking two dogs
a person reading a book
two dogs chasing a cat
two dogs and their three balls
a flower with five leaves
201 apples
150 apples and 100 dogs
a thousand ants
1,000 ants
99999999999999999999 apples
seven
7
how many apples?
seven apples?
Is there an apple?
apples 7
3D apples
4k apples
the 7th apple
seventh apple
VII apples
7³ apples
0x7 apples
#7 apples
7% apples
$7 apples
7 🍎
sept pommes
seven <b>apples</b>
seven apples https://example.org
a sign that says "seven apples"
the words "seven apples"
and three cats
three cats and
three cats and and two dogs
,
.
?
one apple two bananas
a apples
an apples
a two dogs
two a dog
three three dogs
seven apples at a table for two
one apple a day
a score of apples
a baker's dozen of eggs
if there are dogs draw seven apples
seven apples, maybe eight
seven apples, preferably red
single apples
a herd of kangaroos
a herd of kangaroos and two dogs
two herds of 5 kangaroos
seven apples, give or take
some seven apples
seven more apples
seven invisible apples
seven fake apples
no more than seven apples
seven apples max
seven apples per plate
seven apples for each dog
seven apples. seven apples.
a dog, a dog
a dog, a dog, a red dog
a dog, a dog, two dogs
a dog, a cat, a dog
two dogs, one above the other
two dogs on top of three cats
two dogs over three cats
Two dogs to the left of a cat and a fish to the right of a cat
the left side has two dogs and the right side has three cats
5 cats, of which 3 are black
five cats, three black cats and two white cats
a tree with 3 apples
draw nothing
a dozen (13) eggs
1) seven apples⏎2) two dogs
five cats and three are black
five cats and five are black
an apple and an orange
an apple, an orange
one apple, one orange
an orange and a red apple
two cats: an orange and a black
a red dog, two black cats and a green one
a dog, two black cats and a green one
three dogs, two red and one green apple
three dogs, three red and two green apples
seven apples, one of them orange
one dog and a half-eaten apple
a ten-year-old dog
7 cm apples
one fifty apples
zero point five apples
1 2 apples
half a hundred apples
an image of a cat and a picture of a dog
three dogs are black and two cats are white
7 apple(s)
a dog above a cat, both black
1.000 dots
3e1 apples
1e2 dots
a dog left of a cat left of the dog
three apples and nothing else. Two dogs.
three apples and nothing else, and two dogs
three apples only, and two dogs
"""
_NOT_QUANTITIES = """
no flowers, many flowers
many flowers and no flowers
a few apples and seven apples
some apples, three apples
many apples or a few bananas
many
few
some
no
some of the apples
many of the dogs
most apples
several dogs
enough apples
too many apples
not many apples
not a few apples
no few apples
many few apples
a few apple
many dog
some chocolate
a vase without
a vase with
a vase of flowers
an empty vase
a vase without flowers or leaves
a vase without many flowers
a vase without three flowers
a vase with flowers
a dog without a tail
two vases with many flowers
many flowers in two vases
many flowers in vases
many flowers and a few leaves in a vase
a vase with many flowers and three dogs
a vase with no flowers and many flowers
An image of a vase. There are many flowers in the cup.
An image of two vases. There are many flowers in the vase.
many flowers under the vase of a dog
flowers in a vase
no flowers in no vase
a few cats in a car
many ants on a leaf
more cats
fewer dogs
more cats than
more cats than cats
more than seven cats
more than cats
more cats as dogs
as many cats than dogs
as many cats
twice as many cats as dogs
many more cats than dogs
two more cats than dogs
slightly more cats than dogs
not more cats than dogs
more cats than dogs and fish
more cats than dogs, fewer cats than dogs
fewer cats than dogs and more dogs than fish
three cats and five dogs, more cats than dogs
no cats and some dogs. There are more cats than dogs.
an unequal number of cats and dogs
the same number of cats
the same number of cats than dogs
half
half apples
half of the apples
half of two apples
half of apples
half a
half a dogs
half of another apple
two apples and half of another pizza
two apples and half of another apples
many apples and half of another apple
a third
five thirds of an apple
half an apple, half an apple
less than half an apple
about half a pizza
half a pizza without cheese
a half eaten apple
a half-eaten pizza
half or a quarter of a pizza
an apple cut
a cut apple
a sliced apple
an apple cut into pieces
an apple cut into a piece
an apple cut into 1 piece
an apple cut into 0 pieces
an apple cut into 21 pieces
an apple cut into 2.5 pieces
an apple cut into several pieces
an apple cut into third
an apple cut into thirds or quarters
an apple cut into thirds, cut into quarters
an apple cut into dogs
an apple not cut into quarters
three apples cut into 5 pieces
many apples cut into quarters
no apples cut into quarters
half an apple cut into quarters
a broken fork
two forks and a broken fork
three forks, four of them broken in two
three forks, none of them broken in two
three forks, some of them broken in two
three forks, one broken
three forks and one broken in two
three forks, one fork broken in two
three forks and two plates, it is broken in two
One piece is twice the size of the other.
An apple cut into thirds. One piece is twice the size of the other.
a pencil, one piece twice the size of the other
a pencil broken into two pieces, one piece twice as red as the other
a pencil, half red and half red
a pencil, half red, half blue and half green
a red pencil, half red and half blue
two pencils, half red and half blue
a pencil, a quarter red and a quarter blue
half red, half blue
a half red pencil
a pencil that is red and half blue
a pencil where one half of it is red and the other half is big
half of the dogs are red
three forks and two plates, one of them broken in two
three forks and two plates, each broken in two
an apple and a pizza cut into quarters
a dog and a pencil, half red and half blue
a few dogs and cats
a few hundred ants
a lot of dogs and cats
Are there many dogs?
How many flowers are in the vase?
as many as seven apples
more and more apples
no more than three apples and many dogs
many red and green apples
half red apples
two halves of an apple
There are three quarters.
An image of a vase with flowers. There are no flowers in the vase.
There are many flowers in the vase. There are no flowers in the vase.
There are no dogs. There are three dogs.
a few dogs on the left
many flowers in a vase on a table
a plate with half an apple
more cats than dogs. Three cats.
more cats than dogs and as many cats as dogs
An image with some cats or some dogs, but not with both cats and dogs.
an apple cut in a third
a pizza cut into 4 slices of cake
nothing else but a few dogs, and many cats
a few dogs and nothing else, and many cats
a vase without any half blue
three and a half apples cut into halves
another book with no seeds
two apples and half
a quarter of a plate with them
a vase with it
three forks and half of it
three forks and a half of it
a vase with that has no flowers
many red blue apples
1.5 apples and many dogs
three forks, one of them
half of the vases
five plates, of which six are broken in two
of which one is broken in two
two half apples
a half dog and a half cat
a quarter red and a quarter blue pencil
In the vase many flowers
In the cup there are many flowers.
On the table there are no plates and many cups.
a red apple and half of another green apple
the many flowers in the vase
many dogs?
many dogs and but a few cats
some red cats and dogs, more blue cats than dogs
a table and a shelf. There are many books on it.
two apples and half an apple. The apple is cut in half.
a picture with
150 apples and 100 dogs and no cats
"""
_NOT_TOGETHER = """
a cat behind a vase with three flowers
a dog under a table with many plates
two dogs on the left and a vase with many flowers on the right
many flowers in a vase. The vase is to the left of a cat.
a table with a few cups to the right of a dog
a few books on a shelf above three dogs
a red table with a few cups, on the left, and two dogs on the right
half a pizza to the left of an apple
no dogs above three cats
no dogs on the left and three cats on the right
many dogs on the left
a vase with three red and two yellow flowers
seven apples: three red and four green, and many dogs
many apples, three red and four green
many apples, three red and 2 more
12 whole apples with a 3 row 4 column grid
a flower pot with many flowers on a table with a few cups
a cat on top of a car and many dogs
many cats on the left, the same number of dogs on the right
three dogs and many cats on the table, which are red
no apples and seven apples
0 apples and seven apples
many dogs - three cats
seven apples. The apple is red.
seven apples. It is red.
a dog. The dogs are red.
three forks, of which one vase is broken into two pieces
one half of a pencil big is red
a cup and a table, half red, with many plates
three cats and twice as many dogs as cups
half a pizza and twice as many dogs
"""
NO_QUANTITIES = _prompts(_NOT_QUANTITIES)
NOT_UNDERSTOOD = ["", *_prompts(_NOT_UNDERSTOOD), *NO_QUANTITIES, *_prompts(_NOT_TOGETHER)]
