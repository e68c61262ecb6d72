"""Text as pdflatex sets it, whatever characters are in it."""

import unicodedata

_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\symbol{34}",
    "−": "$-$",
    "∞": r"$\infty$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "√": r"$\surd$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "→": r"$\to$",
    "∅": r"$\emptyset$",
    "⊘": r"$\oslash$",
    "✓": r"$\surd$",
    "✗": r"$\times$",
    "·": r"$\cdot$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "•": r"$\bullet$",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "ı": r"\i{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "\xa0": "~",
    "\n": " ",
}
_GREEK = {
    **dict(zip("αβγδεζηθ", ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"), strict=True)),
    **dict(zip("ικλμνξπρ", ("iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho"), strict=True)),
    **dict(zip("στυφχψω", ("sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"), strict=True)),
    **dict(zip("ΓΔΘΛΞΠ", ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi"), strict=True)),
    **dict(zip("ΣΥΦΨΩ", ("Sigma", "Upsilon", "Phi", "Psi", "Omega"), strict=True)),
}
# Combining marks from U+0300 on, and the commands that put them on a letter in every font encoding.
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327", "`'^~=u.\"rHvc", strict=True)
)


def to_tex(text: str) -> str:
    """Escape what means something to TeX, and spell what it does not know."""
    return "".join(_spell(char) for char in unicodedata.normalize("NFC", text))


def _spell(char: str) -> str:
    """Write a character so that pdflatex knows it; one that it cannot set is named by its code point."""
    if char in _CHARACTERS:
        return _CHARACTERS[char]
    if char in _GREEK:
        return f"$\\{_GREEK[char]}$"
    if " " <= char <= "~" or "\xa1" <= char <= "\xff":
        return char
    parts = unicodedata.normalize("NFD", char)
    if len(parts) == 2 and parts[0].isascii() and parts[1] in _ACCENTS:
        return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    return rf"\texttt{{U+{ord(char):04X}}}"
