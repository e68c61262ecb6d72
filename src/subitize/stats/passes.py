"""How likely it is that at least one of k images of a prompt is right."""

from math import comb


def pass_at_k(images: int, right: int, k: int) -> float:
    """Estimate it without bias from `images` of which `right` are: the share of all choices of k with a right one.

    The estimator of Chen and others (2021), arXiv 2107.03374, section 2.1.
    """
    if not 0 <= right <= images:
        raise ValueError(f"{right} of {images} images cannot be right")
    if not 1 <= k <= images:
        raise ValueError(f"k={k}: should be from 1 to the number of images, {images}")
    return 1 - comb(images - right, k) / comb(images, k)
