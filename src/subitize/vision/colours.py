"""Colour names, by hue, strength and lightness."""

import colorsys

COLOUR_NAMES = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")


def colour_name(red: int, green: int, blue: int) -> str:
    """Name a colour given by its channels, 0 to 255."""
    hue, strength, value = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
    if value < 0.2:
        return "black"
    if strength < 0.15:
        return "white" if value > 0.9 else "grey"
    return _hue_name(hue * 360, strength, value)


_HUES = ((15, "red"), (42, "orange"), (68, "yellow"), (170, "green"), (255, "blue"), (300, "purple"))


def _hue_name(degrees: float, strength: float, value: float) -> str:
    if value < 0.68 and (12 <= degrees < 50 or (degrees < 12 and strength < 0.8)):
        return "brown"
    if degrees >= 345 or degrees < 15:
        return "pink" if strength < 0.55 and value > 0.75 else "red"
    for limit, name in _HUES:
        if degrees < limit:
            return name
    return "pink" if value > 0.6 else "purple"
