"""Pictures of a run: one file a picture, its data computed without a drawing library and drawn with matplotlib."""

from warploom.observe.pictures.picture import KINDS, Kind, Picture, form_of, picture
from warploom.observe.pictures.view import DrawingError

__all__ = ["KINDS", "DrawingError", "Kind", "Picture", "form_of", "picture"]
