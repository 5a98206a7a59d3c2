"""What meets somebody who types the first thing that comes to mind: the start page, shipped examples, guesses and skeletons."""
