"""Pictures of a run: one file a picture, its data computed without a drawing library and drawn with matplotlib."""

from warploom.observe.pictures.picture import KINDS, Kind, Picture, check_width, form_of, picture
from warploom.observe.pictures.view import DrawingError

__all__ = ["KINDS", "DrawingError", "Kind", "Picture", "check_width", "form_of", "picture"]
