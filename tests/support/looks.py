"""What a page looks like, as a thumbnail: enough to see that it fell apart, too little to see a word."""

import io
from pathlib import Path

import numpy
from numpy.typing import NDArray
from PIL import Image

KEPT = Path(__file__).parents[1] / "data" / "looks"
SIZE = (64, 40)
# Means of all differences, of 255: another font moves a page by 2 or 3, a lost style sheet by 15 and more.
LARGEST = 8.0


def thumbnail(png: bytes) -> Image.Image:
    """The picture in greys, 64 by 40 points."""
    return Image.open(io.BytesIO(png)).convert("L").resize(SIZE, Image.Resampling.BOX)


def keep(name: str, png: bytes) -> None:
    """Keeps the picture's thumbnail under that name."""
    KEPT.mkdir(exist_ok=True)
    thumbnail(png).save(KEPT / f"{name}.png", optimize=True)


def difference(name: str, png: bytes) -> float:
    """How far the picture is from the thumbnail of that name: the mean of the differences of all points, of 255."""
    return float(numpy.abs(_points(thumbnail(png)) - _points(Image.open(KEPT / f"{name}.png"))).mean())


def _points(image: Image.Image) -> NDArray[numpy.float64]:
    return numpy.asarray(image, dtype=float)
