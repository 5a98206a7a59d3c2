"""guppy: the language of execution masks, from the article "What's up with my branch on GPU?".

    program = guppy.assemble(open("kernel.guppy").read(), "kernel.guppy")

A program sees one lane; the warp runs it for all lanes at once, and branches are made of masks: `push_mask`,
`mask_nz`, `br_push` and `pop_mask` say which lanes run. Every register has four components of 32 raw bits, and
the mnemonic's ending says whether they are floats or unsigned numbers. `table.py` has one row per instruction,
`operands.py` what they work on, `parser.py` the syntax, `bindings.py` and `lines.py` the memory, `lower.py` the micro-ops.

Directives are this project's: `.threads N`, `.group N`, `.buffer`, `.texture`, `.image`, `.sampler` (see `lines.py`).

Where this language differs from the one of the article's simulator, and why:

* Text after `LABEL:` on its line is an instruction; the original drops it without a word. It is run, with a warning.
* A label after the last instruction, and a program that runs off its end, get a `ret`, with a warning. The original panics on the
  first and disables the warp at once in the second, so that a late result lands in the warp that comes next.
* CRLF line ends, tabs and any number of blanks are read. Operands must match as a whole: the original finds `r0.x` inside other text.
* A fifth letter of a swizzle, a negative unsigned number, an unknown or duplicate label are errors; the original ignores the first,
  panics on the second and third, and lets the last label win.
* Components that a source does not name are 0, as in the original, whose own example blends only red because of it. There is a warning.
* A mask stack belongs to one warp: it is empty when the next warp starts in that slot. In the original the next warp inherits what
  `ret` left behind. `ret` ends all lanes of the warp, masked off or not, in both.
* `ld` waits for all components: the original unlocks the register when the first one arrives, and a component that arrives late
  can land in the next warp. A component of `ld` or `sample` that the view does not name is 0.
* `ld` and `st` must be aligned to 4 bytes and inside their view, else the run stops with the lane and the line. The original
  panics on `ld`, and rounds the address of `st` down and writes wherever it points. Storing to an image outside its borders does nothing.
* Address 0 is an address like any other (a view never lies there); in the original it means that nothing is loaded.
* A sampler does what it says: point or linear, repeat, clamp or mirror. The original always filters linearly, panics on clamp, makes
  texels black where a coordinate falls exactly on a negative whole number, and does not end for very large ones.
* Conditions test raw bits, in both: -0.0 is true.
* A group may have any number of threads; the last warp may be partly filled. Caches hold what their size says.
"""

from warploom.isa.guppy.assemble import assemble, assemble_with_warnings, load
from warploom.isa.guppy.bindings import (
    AnyBinding,
    Binding,
    BindingError,
    SamplerBinding,
    buffer,
    image,
    read_view,
    sampler,
    texture,
)
from warploom.isa.guppy.lines import FILLS, binding
from warploom.isa.guppy.table import INSTRUCTIONS, Instruction, markdown, meanings, usage
from warploom.isa.pictures import PATTERNS, PictureError, read_picture, write_picture

__all__ = [
    "FILLS",
    "INSTRUCTIONS",
    "PATTERNS",
    "AnyBinding",
    "Binding",
    "BindingError",
    "Instruction",
    "PictureError",
    "SamplerBinding",
    "assemble",
    "assemble_with_warnings",
    "binding",
    "buffer",
    "image",
    "load",
    "markdown",
    "meanings",
    "read_picture",
    "read_view",
    "sampler",
    "texture",
    "usage",
    "write_picture",
]
