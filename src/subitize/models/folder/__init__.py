"""Images that were made elsewhere, in the layouts people have: found, matched to a suite's items, and handed over."""

from subitize.models.folder.matching import MatchedImages
from subitize.models.folder.model import Folder

__all__ = ["Folder", "MatchedImages"]
