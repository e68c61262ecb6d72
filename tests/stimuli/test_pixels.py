"""Decoding: every format to the same pixels, every broken file to a message that says what is wrong."""

import io
import struct
import zlib
from contextlib import suppress
from importlib.metadata import version

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageFile

from subitize.errors import BadImageError
from subitize.io.images import decode, image_format
from subitize.records import ImageFormat
from tests.cases import Case

LEFT, RIGHT = (200, 30, 40), (20, 90, 220)


def picture(mode: str = "RGB") -> Image.Image:
    image = Image.new("RGB", (40, 24), LEFT)
    image.paste(RIGHT, (20, 0, 40, 24))
    return image.convert(mode)


def file(image: Image.Image, name: str, **options: object) -> bytes:
    written = io.BytesIO()
    image.save(written, name, **options)
    return written.getvalue()


def noise(name: str) -> bytes:
    values = np.random.default_rng(1).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    return file(Image.fromarray(values), name)


def png_claiming(width: int, height: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", len(header) - 4) + header + struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + chunk + file(picture(), "PNG")[33:]


def gif_claiming(width: int, height: int) -> bytes:
    data = file(picture(), "GIF")
    return data[:6] + struct.pack("<HH", width, height) + data[10:]


def webp_claiming(width: int, height: int) -> bytes:
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + canvas + file(picture(), "WEBP")[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body


def colours(pixels: NDArray[np.uint8]) -> list[list[int]]:
    return [pixels[12, 8].tolist(), pixels[12, 32].tolist()]


@pytest.mark.parametrize(
    ("data", "tolerance"),
    [
        pytest.param(file(picture(), "PNG"), 0, id="png"),
        pytest.param(file(picture("P"), "PNG"), 40, id="png with a palette"),
        pytest.param(file(picture("RGBA"), "PNG"), 0, id="png with alpha"),
        pytest.param(file(picture(), "JPEG"), 6, id="jpeg"),
        pytest.param(file(picture("CMYK"), "JPEG"), 6, id="jpeg in CMYK"),
        pytest.param(file(picture(), "WEBP", lossless=True), 0, id="webp"),
        pytest.param(file(picture(), "GIF"), 6, id="gif"),
    ],
)
def test_every_format_decodes_to_the_same_pixels(data: bytes, tolerance: int) -> None:
    pixels = decode(data)
    assert pixels.shape == (24, 40, 3)
    assert pixels.dtype == np.uint8
    assert np.abs(np.array(colours(pixels)) - [LEFT, RIGHT]).max() <= tolerance


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(Image.new("L", (8, 8), 128), id="8 bits"),
        pytest.param(Image.fromarray(np.full((8, 8), 128 * 257, dtype=np.uint16)), id="16 bits"),
        pytest.param(Image.new("LA", (8, 8), (128, 255)), id="with alpha"),
    ],
)
def test_grey_pictures_decode_to_three_equal_channels(image: Image.Image) -> None:
    assert decode(file(image, "PNG"))[4, 4].tolist() == [128, 128, 128]


def test_black_and_white_decodes_to_the_ends_of_the_scale() -> None:
    image = Image.new("1", (8, 8), 1)
    image.putpixel((0, 0), 0)
    assert decode(file(image, "PNG"))[0, :2].tolist() == [[0, 0, 0], [255, 255, 255]]


@pytest.mark.parametrize(
    ("alpha", "value"),
    [pytest.param(0, 255, id="clear"), pytest.param(255, 0, id="solid"), pytest.param(51, 204, id="thin")],
)
def test_transparency_shows_white(alpha: int, value: int) -> None:
    assert decode(file(Image.new("RGBA", (8, 8), (0, 0, 0, alpha)), "PNG"))[4, 4].tolist() == [value] * 3


def test_a_transparent_palette_colour_shows_white() -> None:
    image = Image.new("P", (8, 8), 0)
    image.putpalette([0, 0, 0])
    assert decode(file(image, "GIF", transparency=0))[4, 4].tolist() == [255, 255, 255]


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(Image.new("L", (8, 8), 7), id="8 bits"),
        pytest.param(Image.fromarray(np.full((8, 8), 7, dtype=np.uint16)), id="16 bits"),
    ],
)
def test_a_transparent_grey_shows_white(image: Image.Image) -> None:
    image.putpixel((0, 0), 8)
    pixels = decode(file(image, "PNG", transparency=7))
    assert pixels[4, 4].tolist() == [255, 255, 255]
    assert pixels[0, 0].max() <= 8, "the next grey is another"


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP"])
def test_a_picture_stored_on_its_side_is_turned_upright(name: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    pixels = decode(file(picture(), name, exif=exif))
    assert pixels.shape == (40, 24, 3)
    assert np.abs(pixels[4, 12] - np.array(LEFT)).max() <= 12


@pytest.mark.parametrize("name", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_frame_is_taken(name: str) -> None:
    frames = {"save_all": True, "append_images": [Image.new("RGB", (40, 24), (0, 255, 0))]}
    pixels = decode(file(picture(), name, **frames))
    assert np.abs(np.array(colours(pixels)) - [LEFT, RIGHT]).max() <= 24


# Pillow before 13 leaves it to the decoder, which refuses such a size.
WEBP_BOMB = (
    "WEBP image is too large: .*resize it first"
    if int(version("pillow").partition(".")[0]) >= 13
    else "WEBP image is truncated or damaged .could not create decoder object."
)
BAD = {
    "empty": (b"", r"empty \(0 bytes\); give a PNG, JPEG, WebP or GIF"),
    "random": (b"\x07random bytes", r"not a PNG, JPEG, WebP or GIF file: it starts with b'\\x07random '"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG, JPEG, WebP or GIF file"),
    "bmp": (file(picture(), "BMP"), "it starts with b'BM.*convert it to one"),
    "tiff": (file(picture(), "TIFF"), "not a PNG, JPEG, WebP or GIF file"),
    "half a png": (noise("PNG")[:3000], "PNG image is truncated or damaged .*give the whole file"),
    "a scrap of png": (noise("PNG")[:20], "PNG image is truncated or damaged"),
    "half a jpeg": (noise("JPEG")[:2000], "JPEG image is truncated or damaged .*give the whole file"),
    "a scrap of jpeg": (noise("JPEG")[:40], "JPEG image is truncated or damaged"),
    "half a webp": (noise("WEBP")[:1000], "WEBP image is truncated or damaged"),
    "half a gif": (noise("GIF")[:2500], "GIF image is truncated or damaged"),
    "a scrap of gif": (b"GIF89a", "GIF image is truncated or damaged"),
    "png by name only": (b"\x89PNG\r\n\x1a\n" + b"x" * 99, "PNG image is truncated or damaged"),
    "png bomb": (png_claiming(30_000, 30_000), "PNG image is too large: 30000 × 30000 px; at most 64 megapixels"),
    "just too large": (png_claiming(8001, 8000), "PNG image is too large: 8001 × 8000 px"),
    "where Pillow warns": (png_claiming(10_000, 10_000), "PNG image is too large: 10000 × 10000 px"),
    "gif bomb": (gif_claiming(60_000, 60_000), "GIF image is too large: 60000 × 60000 px"),
    "webp bomb": (webp_claiming(16_000, 16_000), WEBP_BOMB),
}


def test_a_bad_image_is_refused_with_what_is_wrong(case: Case) -> None:
    for name, (data, message) in BAD.items():
        with case(name), pytest.raises(BadImageError, match=message):
            decode(data)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_file_cut_anywhere_decodes_whole_or_is_refused(name: str) -> None:
    data = noise(name)
    whole = decode(data)
    for length in range(0, len(data), len(data) // 60):
        try:
            pixels = decode(data[:length])
        except BadImageError:
            continue
        assert np.array_equal(pixels, whole)


@pytest.mark.parametrize("name", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_file_with_flipped_bytes_is_decoded_or_refused_but_nothing_else(name: str) -> None:
    data, random = noise(name), np.random.default_rng(5)
    for _ in range(60):
        damaged = bytearray(data)
        for position in random.integers(4, 400, 6):
            damaged[position] ^= int(random.integers(1, 256))
        with suppress(BadImageError):
            assert decode(bytes(damaged)).dtype == np.uint8


def test_decoding_leaves_pillows_settings_alone() -> None:
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(BadImageError):
        decode(noise("PNG")[:3000])
    assert not ImageFile.LOAD_TRUNCATED_IMAGES
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize("name", ["png", "jpeg", "webp", "gif"])
def test_the_format_is_told_by_the_first_bytes(name: ImageFormat) -> None:
    assert image_format(file(picture(), name.upper())[:16]) == name
