"""Prompts as users may put them, with the scene each asks for, and prompts that must not be understood.

A scene is written as "7 apple, 2 red dog | 0 above 1": numbers, colours and nouns, then relations by position.
"""

import re
from typing import cast

from subitize.records import RelationWord
from subitize.scenes import Entity, Relation, Scene

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
    entities, _, relations = written.partition(" | ")
    return Scene(
        tuple(_entity(part) for part in entities.split(", ")),
        tuple(_relation(part) for part in relations.split("; ") if part),
    )


def _entity(written: str) -> Entity:
    number, _, thing = written.partition(" ")
    colour, _, noun = thing.partition(" ")
    return Entity(noun, int(number), colour) if colour in COLOURS else Entity(thing, int(number))


def _relation(written: str) -> Relation:
    match = re.fullmatch(r"(\d+) (.*) (\d+)", written)
    assert match, written
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
An image of a plate. There are 4 olives on the plate. -> 1 plate, 4 olive
a person with two dogs -> 1 person, 2 dog
a dog playing with three balls -> 1 dog, 3 ball
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
a cat under a table -> 1 cat, 1 table | 0 below 1
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

_TABLES = (_BARE, _GROUPS, _NUMBER_AFTER, _OPENERS, _ADJECTIVES, _SETTINGS, _STYLES, _COLOURS, _SEVERAL, _POSITIONS)
UNDERSTOOD = [case for table in _TABLES for case in _cases(table)]

_NOT_UNDERSTOOD = """
apples
apple
some apples
many apples
a few apples
several apples
lots of apples
a lot of apples
a little chocolate
dozens of eggs
hundreds of ants
no apples
no apples but three bananas
seven apples but no bananas
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
half an apple
one and a half apples
two apples and a half
an apple and a half
two thirds of an apple
a quarter of a pizza
an apple cut into 5 pieces
a slice of pizza
seven slices of pizza
seven apple slices
seven half apples
twice as many apples as bananas
as many apples as bananas
fewer dogs than cats
7 times 2 apples
7 x 2 apples
two times three apples
7x7 dots
3 + 4 apples
seven plus two apples
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
a cake with three candles
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
NOT_UNDERSTOOD = ["", *_prompts(_NOT_UNDERSTOOD)]
