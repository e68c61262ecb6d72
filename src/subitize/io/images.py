"""Reads, checks, decodes and encodes image files: the only place where images are decoded or refused."""

import base64
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageFile, ImageOps
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from subitize.errors import BadFileError, BadImageError
from subitize.io.files import open_input, read_bounded
from subitize.records import ImageFormat

Rgb = NDArray[np.uint8]

LARGEST_IMAGE_MEGAPIXELS = 64
# The largest image that is decoded, at four bytes per pixel without compression.
LARGEST_FILE_BYTES = LARGEST_IMAGE_MEGAPIXELS * 4_000_000


def image_format(data: bytes) -> ImageFormat:
    """Recognise an image file's format by its first bytes."""
    if not data:
        raise BadImageError("the image is empty (0 bytes); give a PNG, JPEG, WebP or GIF file")
    for prefix, name in _PREFIXES.items():
        if data.startswith(prefix):
            return name
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    raise BadImageError(f"not a PNG, JPEG, WebP or GIF file: it starts with {data[:8]!r}; convert it to one")


def image_size(path: Path) -> tuple[int, int]:
    """Read an image's width and height, as it is shown upright, from the beginning of its file."""
    try:
        with open_input(path, LARGEST_FILE_BYTES) as file:
            name = image_format(file.read(16))
            file.seek(0)
            with _OPENERS[name](file) as image:
                is_on_its_side = image.getexif().get(ExifTags.Base.Orientation) in (5, 6, 7, 8)
                return (image.height, image.width) if is_on_its_side else image.size
    except _DAMAGE as error:
        raise BadImageError(f"{path.name} is no image that can be read ({error})") from None


def find_fault(path: str) -> str:
    """Say why a file cannot be an image, as far as this shows without reading it; empty if nothing is wrong."""
    try:
        about = os.stat(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    size = about.st_size
    if not stat.S_ISREG(about.st_mode):
        return "is no file"
    if not size:
        return "the image is empty (0 bytes); give a PNG, JPEG, WebP or GIF file"
    if size > LARGEST_FILE_BYTES:
        return f"{size:,} bytes are too many; at most {LARGEST_FILE_BYTES:,} are read, so resize the image first"
    return ""


def read_image(path: str) -> bytes:
    """Read a whole image file; refuse first what is not a file, empty or too large."""
    if fault := find_fault(path):
        raise BadImageError(fault)
    try:
        return read_bounded(path, LARGEST_FILE_BYTES)
    except BadFileError as error:
        raise BadImageError(str(error)) from None


def read_zipped(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read an image file in a zip; refuse one that is too large."""
    try:
        with archive.open(name) as member:
            data = member.read(LARGEST_FILE_BYTES + 1)
    except (OSError, RuntimeError, NotImplementedError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise BadImageError(f"cannot be unpacked ({error})") from None
    if len(data) > LARGEST_FILE_BYTES:
        raise BadImageError(f"more than {LARGEST_FILE_BYTES:,} bytes; resize the image first")
    return data


def data_url(data: bytes) -> str:
    """Write an image file as a data URL."""
    return f"data:image/{image_format(data)};base64,{base64.b64encode(data).decode()}"


def encode_png(image: Image.Image, *, compress_level: int = 3) -> bytes:
    """Write an image as a PNG file.

    The default level takes two thirds of the time of level 6; files are a quarter (apples) to two fifths (dots) larger.
    """
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=compress_level)
    return file.getvalue()


def decode(data: bytes) -> Rgb:
    """Decode an image file to height × width × 3: upright, the first frame, transparency over white."""
    name = image_format(data)
    try:
        with _OPENERS[name](io.BytesIO(data)) as image:
            _check_size(image)
            ImageOps.exif_transpose(image, in_place=True)
            return _rgb(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadImageError(f"the {name.upper()} image is too large: {error}; {_LIMIT}") from error
    except _DAMAGE as error:
        raise BadImageError(
            f"the {name.upper()} image is truncated or damaged ({error}); give the whole file"
        ) from error


# Pillow's classes are called directly because the limit of Image.open and its warning filter are process-wide;
# _check_size has its own limit.
_OPENERS: Mapping[ImageFormat, Callable[[BinaryIO], ImageFile.ImageFile]] = {
    "png": PngImageFile,
    "jpeg": JpegImageFile,
    "webp": WebPImageFile,
    "gif": GifImageFile,
}
_PREFIXES: Mapping[bytes, ImageFormat] = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpeg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}
_LIMIT = f"at most {LARGEST_IMAGE_MEGAPIXELS} megapixels are decoded, so resize it first"
_DAMAGE = (OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError, MemoryError, struct.error, zlib.error)


def _check_size(image: ImageFile.ImageFile) -> None:
    """Refuse an image by its header, before any pixel is decoded."""
    if image.width * image.height > LARGEST_IMAGE_MEGAPIXELS * 1_000_000:
        raise BadImageError(f"the {image.format} image is too large: {image.width} × {image.height} px; {_LIMIT}")


def _rgb(image: Image.Image) -> Rgb:
    if image.mode.startswith("I"):
        values = np.asarray(image).astype(np.uint32)
        grey = (values // 257).astype(np.uint8)
        if "transparency" in image.info:
            grey[values == image.info["transparency"]] = 255
        return np.repeat(grey[:, :, None], 3, axis=2)
    if image.has_transparency_data:
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image.convert("RGBA"))
    return np.asarray(image if image.mode == "RGB" else image.convert("RGB"))
