"""The closed lists of words that prompts are read by.

A word that is in none of them is not understood, so a word belongs here only if it cannot change the number, the
kind, the colour or the place of what is asked for, or if the grammar in reading.py knows what it does.
"""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Literal

from subitize.numerals import plural
from subitize.numerals.phrases import Phrases, same_meaning, word_set

Kind = Literal[
    "number", "noun", "colour", "post-colour", "adjective", "single", "image", "cartoon", "link", "of", "with", "ask",
    "there", "polite", "be", "that", "all", "after", "setting", "style", "exactly", "a", "the", "another", "ones",
    "they", "of-them", "number-of", "relation", "side", "and", "comma", "stop", "question", "colon", "equals", "times",
    "product", "pot", "grid", "cell", "open", "close", "dash", "unknown", "end",
    # of quantities.py alone:
    "quantity", "compare", "than", "share", "portion", "cut", "pieces", "shares", "size", "other", "each", "whole",
    "hold", "without", "but",
]  # fmt: skip

ENDS: frozenset[Kind] = frozenset({"stop", "question", "end"})
"""What ends a clause."""

AFTERTHOUGHTS: frozenset[Kind] = frozenset({"after", "exactly", "style", "setting", "polite"})
"""What may follow an item and changes nothing of it."""

EXCLUSIVE = frozenset({"only", "else", "other", "others"})
"""An afterthought with one of these allows of nothing more."""

MARKS: Mapping[str, Kind] = {
    ",": "comma", ";": "stop", ".": "stop", "!": "stop", "\n": "stop", "?": "question", ":": "colon", "=": "equals",
    "×": "times", "(": "open", ")": "close", "&": "and", "+": "and", "-": "dash", "–": "dash", "—": "dash",
}  # fmt: skip

_IMAGES = (
    "image picture photo photograph pic drawing painting illustration sketch clipart artwork graphic rendering"
    " snapshot scene view shot closeup depiction composition"
)
_IMAGE_PHRASES = (
    "clip art, close up, line drawing, line art, pencil drawing, pencil sketch, pencil illustration, oil painting,"
    "still life, still life painting, digital painting, digital illustration, digital drawing, stock photo,"
    "stock image, vector graphic, vector illustration, vector image, top view, top down view, side view, front view,"
    "aerial view, bird's eye view, birds eye view, 3 d render, 3 d rendering, 3 d image, 3 d illustration,"
    "studio shot, studio photo, product photo, studio photograph, work of art, piece of art"
)
_LINKS = (
    "showing, shows, show, that shows, which shows, that show, depicting, depicts, that depicts, which depicts,"
    "containing, contains, that contains, which contains, featuring, features, that features, which features,"
    "displaying, displays, that displays, having, has, that has, which has, should show, should contain,"
    "should have, should feature, should depict, must show, must contain, must have, must feature, consists of,"
    "consisting of, that consists of, portraying, portrays, illustrating, presenting, including, that includes,"
    "where there is, where there are, in which there is, in which there are, where you can see, where we see,"
    "in which we see, on which there are, on which there is, with a view of, to show, to contain, is of,"
    "where you see, composed of, made up of, that should show, that should contain, which should contain"
)
_ASKS = (
    "draw, paint, sketch out, generate, create, make, show, render, depict, illustrate, produce, imagine, give,"
    "visualize, visualise, design, provide, draw me, draw us, paint me, generate me, create me, make me, make us,"
    "show me, show us, give me, give us, get me, render me, imagine me, send me, draw for me, i want, i need, i wish,"
    "i would like, i'd like, i would love, i'd love, i would like you to, i'd like you to, i want you to,"
    "i need you to, we want, we need, we would like, we'd like, to see, to have, to get, your task is to,"
    "i am looking for, i'm looking for, let me see, let us see, let's see, let's have, let's draw, let there be,"
    "show me the, try to, be sure to, make sure to, make sure, make sure that, ensure, ensure that, prompt, task,"
    "here is, here are, here's, we see, i see, you see, i can see, we can see, you can see, it shows, it contains,"
    "it should show, it should contain, it must show, it must contain, it has, it should have, it must have,"
    "subject, description, contents, objects, items, elements, this is, these are"
)
_QUESTIONS = (
    "can you, could you, would you, will you, can i have, could i have, may i have, can i get, could i get, can i see,"
    "could we have, can we have, can you please, could you please, would you please, would you mind drawing"
)
_POLITE = "please, kindly, hi, hello, hey, thanks, thank you, many thanks, thank you very much, thanks a lot"
_THERE = (
    "there is, there are, there's, there was, there were, there should be, there must be, there will be, there be,"
    "there can be seen, there stands, there stand, there to be"
)
_EXACTLY = (
    "exactly, precisely, only, just, strictly, a total of, in total, altogether, a group of, a set of, a bunch of,"
    "a collection of, an assembly of, a herd of, a flock of, a school of, a swarm of, a crowd of, a bouquet of,"
    " group of, set of, bunch of, collection of, no more and no less than,"
    "no more and no fewer than, no more nor less than, a quantity of, the following"
)
_AFTER = (
    "in total, altogether, all together, in all, together, in it, on it, in there, for me, exactly, precisely, only,"
    "shown, visible, depicted, displayed, pictured, present, placed, positioned, located, situated, lying, resting,"
    "sitting, standing, floating, flying, swimming, running, walking, sleeping, playing, jumping, hanging, growing,"
    "smiling, laid out, spread out, scattered, scattered around, scattered about, randomly scattered,"
    "randomly placed, arranged randomly, randomly arranged, randomly positioned, randomly distributed, placed randomly,"
    "scattered randomly, at random, at random positions, in random positions, placed at random, no more no less,"
    "no more and no less, no more , no less, no more and no fewer, no more no fewer, no more , no fewer,"
    "no less and no more, no less no more, not more not less, not one more not one less, not one more , not one less,"
    "neither more nor less, nothing else, and nothing else, but nothing else, nothing more, and nothing more,"
    "nothing more nothing less, nothing more , nothing less, with nothing else, with nothing else in it,"
    "nothing else in it, without anything else, and no other objects, no other objects, no other things,"
    "and no other things, without other objects, without any other objects, and no others, not overlapping,"
    "without overlap, without overlapping, without any overlap, no overlap, no overlapping, with no overlap,"
    "that do not overlap, which do not overlap, clearly separated, separated,"
    "fully visible, all visible, completely visible, easy to count, so that i can count them,"
    "so they can be counted, should be visible, should be shown, should be seen, should be there, can be seen,"
    "no text, without text, without any text, no words, no watermark, without watermark, no caption,"
    "no shadows, without shadows, no background, with no background, without background, no borders, no frame"
)
_STYLES = (
    "high quality, best quality, top quality, good quality, in high quality, in good quality, high resolution,"
    "in high resolution, high res, low resolution, hd, in hd, full hd, ultra hd, uhd, 4 k, in 4 k, 8 k, in 8 k,"
    "4 k resolution, 8 k resolution, 4 k quality, 8 k quality, highly detailed, very detailed, ultra detailed,"
    "extremely detailed, hyper detailed, sharp focus, in focus, in sharp focus, masterpiece, digital art, vector art,"
    "line art, pixel art, concept art, pop art, flat design, flat style, clip art style, clipart style,"
    "in clip art style, in clipart style, cartoon style, in cartoon style, in a cartoon style, in the cartoon style,"
    "comic style, in comic style, anime style, in anime style, in a realistic style, in realistic style,"
    "in a simple style, in a minimalist style, in minimalist style, in flat style, in a flat style, in vector style,"
    "in watercolor, in watercolour, in watercolors, in watercolours, in watercolor style, in a watercolor style,"
    "watercolor style, in oil, in oils, in pencil, in ink, in crayon, in 3 d, 3 d, 2 d, in 2 d, in color, in colour,"
    "in full color, in full colour, in the style of a cartoon, in the style of cartoons, in the style of a comic,"
    "in the style of van gogh, in the style of vincent van gogh, in the style of monet, in the style of picasso,"
    "in the style of a children's book, in the style of an oil painting, in the style of a watercolor painting,"
    "in the style of a watercolor, in the style of pixar, in the style of disney, in the style of a photograph,"
    "in the style of a photo, in the style of anime, in the style of clip art, in the style of clipart,"
    "in the style of a painting, in the style of a drawing, in the style of impressionism, in van gogh style,"
    "in the style of a pencil drawing, in the style of a vector illustration, in impressionist style,"
    "studio lighting, soft lighting, natural lighting, cinematic lighting, dramatic lighting, good lighting,"
    "bright lighting, soft light, natural light, warm light, with soft lighting, with natural lighting,"
    "with studio lighting, with dramatic lighting, with cinematic lighting, trending on artstation, award winning,"
    "from above, seen from above, viewed from above, as seen from above, from the top, from the side, from the front,"
    "seen from the side, in profile, close up, in close up, wide angle, wide shot, depth of field, bokeh,"
    "shallow depth of field, macro, macro photography, photography, food photography, product photography,"
    "wildlife photography, oil on canvas, watercolor on paper, unreal engine, octane render, in vivid detail,"
    "in great detail, in detail, white background, plain background, plain white background, black background,"
    "simple background, clean background, solid background, square format,"
    "for a children's book, for kids, for children"
)
_ADJECTIVES = (
    "ripe fresh shiny glossy big small large little tiny huge giant cute filled beautiful pretty lovely nice good"
    " identical similar delicious tasty juicy yummy sweet adorable funny happy friendly gorgeous elegant simple plain"
    " clean normal ordinary regular typical real realistic photorealistic hyperrealistic lifelike detailed vivid"
    " bright separate individual distinct visible medium sized wonderful stylish modern classic traditional"
    " fluffy furry healthy organic charming lively perfect neat tidy minimal minimalist minimalistic flat"
    " stylized stylised isometric cinematic digital vector handdrawn clear crisp sharp professional"
    " amazing stunning impressive interesting famous common everyday new countable solid"
)
_ADJECTIVE_PHRASES = (
    "medium sized, average sized, good looking, nice looking, well drawn, hand drawn, high resolution, high quality,"
    "equally sized, same sized, photo realistic, very big, very small, very large, very cute, very beautiful,"
    "very tiny, very nice, brand new, clearly visible, freshly picked, non overlapping, well separated, life like,"
    "highly detailed, very detailed, hyper realistic, ultra realistic, full color, full colour, color, colour"
)
_CARTOONS = "cartoon watercolor watercolour"  # "a cartoon of …" as well as "cartoon dogs"

# What a setting may be, after a preposition and an article; some need no article ("on grass").
_PLACES = (
    "table desk plate shelf tree branch background backdrop lawn field meadow garden park forest jungle beach sea ocean"
    " lake river pond sky street road city town village room kitchen bedroom office classroom library restaurant cafe"
    " shop store market supermarket house farm barn farmyard zoo desert mountain hill ground floor carpet rug wall"
    " counter countertop bench sofa couch bed blanket tablecloth cloth napkin tray bowl basket box bag jar studio"
    " canvas surface stage playground backyard yard harbour harbor landscape countryside savannah savanna aquarium pool"
    " paddock museum gallery frame snow rain water sand grass air sun sunlight moonlight morning evening afternoon"
    " sunset sunrise dark sidewalk pavement driveway windowsill farmland grassland valley orchard billboard plaza"
)
_PLACE_PHRASES = (
    "living room, dining room, dining table, kitchen table, picnic table, picnic blanket, wooden table, coffee table,"
    "dinner table, kitchen counter, cutting board, chopping board, parking lot, coral reef, white paper, "
    "sheet of paper, piece of paper, swimming pool, tree branch, night sky, blue sky, grocery store, living space,"
    "apple tree, bus station, bus stop, train station, street sign, road sign, market stall, fruit stall,"
    "business district, central business district, main road, main street, market square, town square"
)
# In a city, whose name stands before them: "a city garden", "a city's main road".
_CITY_PLACES = (
    "garden, park, street, road, main road, main street, square, market, market stall, sidewalk, pavement, plaza,"
    "wall, billboard, station, bus station, business district, central business district, center, centre"
)
_BARE_PLACES = word_set(
    "background backdrop grass sand snow water nature space daylight sunlight moonlight night sunset sunrise dawn dusk"
    " day summer winter spring autumn paper wood marble canvas rain"
)
_PLACE_ADJECTIVES = word_set(
    "plain solid light dark pastel blurred blurry neutral wooden sunny rainy busy empty clean pure blank transparent"
    " uniform gradient simple round square marble sandy grassy snowy quiet calm rustic old concrete brick"
    " clear crowded open tropical starry gold golden silver turquoise beige cream violet cyan magenta"
    " colorful colourful checkered chequered temperate earthy"
)
_BACKDROPS = word_set("background backdrop wall")
_SKIES = word_set("sky sun sunlight moonlight")
_WAYS = word_set("road street sidewalk pavement driveway river beach")

# The first word of these names nothing that is there: on an apple tree there need be no apple.
_PLACE_HEADS = {"apple tree": "tree", "bus station": "station", "bus stop": "stop"}

# Words that surely mean the same thing as the noun. A man is a person, but a person need not be a man; whoever is
# in a picture may be a traveller.
_SYNONYMS = {
    "airplane": "plane", "aeroplane": "plane", "human": "person", "human being": "person", "hamburger": "burger",
    "paper clip": "paperclip", "automobile": "car", "sea horse": "seahorse", "bonsai tree": "bonsai",
    "koala bear": "koala", "loaf of bread": "loaf", "bread loaf": "loaf", "grain of rice": "rice grain",
    "okra pod": "okra", "pistachio nut": "pistachio", "traveler": "person", "traveller": "person",
    "human traveler": "person", "human traveller": "person",
}  # fmt: skip
_MORE_PLURALS = {"fishes": "fish", "persons": "person"}
FRUIT_COLOURS = frozenset({"orange"})  # "an apple and an orange" are two fruits
_COLOUR_SYNONYMS = {"gray": "grey"}

# "A table with three cups": one of these has what stands after "with" near it, not as a part of itself.
HOLDERS = word_set("table shelf plate chair person dog cat crib")
# What a pot holds; the pot itself need not be drawn.
POTTED = word_set("flower plant tree")

_LEFT_OR_RIGHT = ("on the {} of", "to the {} of", "at the {} of", "on the {} side of", "to the {} side of",
                  "on the {} hand side of", "{} of")  # fmt: skip
_RELATIONS = same_meaning("above", "above") | same_meaning("below", "below, beneath, underneath, under")
for _side in ("left", "right"):
    _RELATIONS |= dict.fromkeys((pattern.format(_side) for pattern in _LEFT_OR_RIGHT), f"{_side} of")

SIDES: Mapping[str, tuple[str, int]] = {
    "left": ("across", 0), "middle": ("", 1), "center": ("", 1), "centre": ("", 1), "right": ("across", 2),
    "top": ("down", 0), "bottom": ("down", 2),
}  # fmt: skip
"""The axis of a place in the picture (the middle is on both), and its rank there."""


def _phrases() -> dict[str, str]:
    """All fixed phrases with their kinds; relations and sides name their value after the kind."""
    kinds: list[tuple[Kind, Iterable[str]]] = [
        ("adjective", [*_ADJECTIVES.split(), *_split(_ADJECTIVE_PHRASES)]),
        ("style", _split(_STYLES)),
        ("image", [*_IMAGES.split(), *_split(_IMAGE_PHRASES)]),
        ("cartoon", _CARTOONS.split()),
        ("after", _split(_AFTER)),
        ("exactly", _split(_EXACTLY)),
        ("link", _split(_LINKS)),
        ("ask", _split(_ASKS)),
        ("there", _split(_THERE)),
        ("polite", _split(_POLITE)),
        ("be", ["is", "are", "was", "were", "should be", "must be", "to be"]),
        ("that", ["that", "which", "who"]),
        ("all", ["all", "all of them", "all of which", "each of them", "every one of them"]),
        ("single", ["single", "lone", "lonely", "solitary"]),
        ("stop", ["where", "such that", "so that", "in such a way that"]),
        ("unknown", ["a little"]),  # "a little chocolate" is not one
        ("of", ["of"]),
        ("with", ["with"]),
        ("a", ["a", "an"]),
        ("the", ["the", "this", "these", "those"]),
        ("another", ["another", "one more"]),
        ("ones", ["ones"]),
        ("they", ["they", "it", "them"]),
        ("of-them", ["of them", "of which", "of these", "of those"]),
        ("number-of", ["number of", "the number of", "quantity of", "count of", "amount of"]),
        ("and", ["and", "plus", "as well as", "together with", "along with", "and also", "accompanied by"]),
        ("times", ["x"]),
        ("product", ["times"]),
        ("pot", [f"{one} {pot} with" for one in ("a", "one") for pot in ("flower pot", "flowerpot", "pot")]),
    ]
    phrases: dict[str, str] = {phrase: kind for kind, own in kinds for phrase in own}
    phrases |= dict.fromkeys(_split(_QUESTIONS), "ask question")
    phrases |= {phrase: f"relation {word}" for phrase, word in _RELATIONS.items()}
    return phrases | _side_phrases()


def _side_phrases() -> dict[str, str]:
    suffixes = ("", " side", " half", " part", " hand side")
    wholes = ("", *(f" of {the} {image}" for the in ("the", "this") for image in _IMAGES.split()))
    patterns = product(("on", "at", "in", "to"), SIDES, suffixes, wholes)
    return {f"{where} the {side}{suffix}{whole}": f"side {side}" for where, side, suffix, whole in patterns}


def _split(phrases: str) -> list[str]:
    """The phrases between commas; " , " is a comma of the phrase itself."""
    parts = phrases.replace(" , ", " \0 ").split(",")
    return [part.strip().replace("\0", ",") for part in parts]


PHRASES = Phrases(_phrases())
BEFORE_SETTINGS = Phrases(
    same_meaning("place", "on, in, at, against, inside, across, upon, on top of, during")
    | same_meaning("backdrop", "over, in front of, with")
    | same_meaning("sky", "under, beneath")
    | same_meaning("way", "along, alongside")
)
SETTING_ARTICLES = word_set("a an the this")
SETTING_ADJECTIVES = word_set(_ADJECTIVES) | _PLACE_ADJECTIVES
SETTINGS = Phrases(
    dict.fromkeys((*_PLACES.split(), *_split(_PLACE_PHRASES), *_IMAGES.split()), "place")
    | {f"{city} {place}": "place" for city, place in product(("city", "city's"), _split(_CITY_PLACES))}
    | dict.fromkeys(_BARE_PLACES, "bare")
    | {"earthy surface": "bare"}
)
BEFORE_GRIDS = word_set("with in")
BEFORE_CELLS = word_set("at in")


def fits_preposition(preposition: str, place: str) -> bool:
    """Whether such a place makes a mere setting: "in front of a wall" does, "in front of a table" says where."""
    return preposition == "place" or place in {"backdrop": _BACKDROPS, "sky": _SKIES, "way": _WAYS}[preposition]


def names_place(setting: str, noun: str) -> bool:
    """Whether a setting is in or on this thing: "on a wooden table" names a table, "on an apple tree" no apple."""
    for place, head in _PLACE_HEADS.items():
        setting = setting.replace(place, head)
    return f" {noun} " in f" {setting} "


def noun_phrases(nouns: Iterable[str]) -> dict[str, str]:
    """The singulars and plurals of the nouns and of their synonyms, each as the form and the noun it stands for."""
    known = {noun: noun for noun in nouns}
    known |= {other: noun for other, noun in _SYNONYMS.items() if noun in known}
    forms = {form: f"plural {noun}" for form, noun in _MORE_PLURALS.items() if noun in known}
    for written, noun in known.items():
        several = plural(written)
        forms[several] = f"plural {noun}"
        forms[written] = f"{'either' if several == written else 'singular'} {noun}"
    return forms


def colour_phrases(colours: Iterable[str]) -> dict[str, str]:
    """The colours as they stand before a noun ("red", "red coloured") and after it ("coloured red")."""
    known = {colour: colour for colour in colours}
    known |= {other: colour for other, colour in _COLOUR_SYNONYMS.items() if colour in known}
    phrases: dict[str, str] = {}
    for written, colour in known.items():
        before = (written, f"{written} coloured", f"{written} colored", f"bright {written}")
        after = (f"in {written} colour", f"in {written} color", f"coloured {written}",
                 f"colored {written}", f"painted {written}", f"{written} in colour", f"{written} in color",
                 f"of {written} colour", f"of {written} color")  # fmt: skip
        phrases |= dict.fromkeys(before, f"colour {colour}") | dict.fromkeys(after, f"post-colour {colour}")
    return phrases
