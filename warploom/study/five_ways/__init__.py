"""One kernel, five ways to choose the lanes: the programs of the study `five-ways`."""
