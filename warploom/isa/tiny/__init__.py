"""tiny-gpu: eleven instructions of 16 bits, 8-bit data, and extensions. Text, words and Programs of it."""

from warploom.isa.frontend import Encoding
from warploom.isa.tiny.assembler import assemble, assemble_with_warnings, load
from warploom.isa.tiny.disassembler import disassemble, disassemble_word
from warploom.isa.tiny.images import Image, read_image, to_hex, to_json
from warploom.isa.tiny.lowering import program, words
from warploom.isa.tiny.table import INSTRUCTIONS, Instruction, markdown_table, meanings

ENCODING = Encoding(
    bits=16,
    words=words,
    formats={"hex": to_hex, "json": to_json},
    read=read_image,
    source=lambda image: disassemble(image.words, image.threads, image.data, image.block),
)

__all__ = [
    "ENCODING",
    "INSTRUCTIONS",
    "Image",
    "Instruction",
    "assemble",
    "assemble_with_warnings",
    "disassemble",
    "disassemble_word",
    "load",
    "markdown_table",
    "meanings",
    "program",
    "read_image",
    "to_hex",
    "to_json",
    "words",
]
