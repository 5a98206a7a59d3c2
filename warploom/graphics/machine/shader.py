"""The pixel shader of a machine with a raster engine: a program for Vortex of 2024, in assembly.

Every lane of every warp takes quads until there are none, and shades their covered pixels one after the other. The arithmetic is that of
`original/shader.py`, which says where it is from: weights in floats, attributes in fixed point, colours as bytes.

    t0 the quad's triangle      s5, s6, s7 arguments: primitive buffer, its stride, what is asked for (TEXTURED ...)
    a0, a1 column and row       a2 the triangle's planes      a3, a4 dx, dy      t1 .. t6, a5, a6, a7 for use inside a pixel
"""

from __future__ import annotations

TEXTURED, COLORED, TESTED = 1, 2, 4  # what the argument `wants` asks for: a texture, vertex colours, depths
PLANES = 36  # bytes of a triangle before its planes: nine words of edges
Z, RED, GREEN, BLUE, ALPHA, U, V = range(7)  # planes of three words each
BYTES = ((BLUE, 0), (GREEN, 8), (RED, 16), (ALPHA, 24))

START = """
    csrr t0, num_warps
    la t1, init
    vx_wspawn t0, t1
init:
    li t0, -1
    vx_tmc t0
    csrr t3, mscratch
    lw s5, 0(t3)            # the primitive buffer
    lw s6, 4(t3)            # its stride
    lw s7, 8(t3)            # what is wanted
    li s4, -1
    li s2, 0xffffff
    li s3, 1
    li t1, 0x33800000       # 2 ** -24
    fmv.w.x fs0, t1
    li t1, 0x4b800000       # 2 ** 24
    fmv.w.x fs1, t1
    li t1, 0x3f800000       # 1
    fmv.w.x fs2, t1
loop:
    vx_rast t0
    vx_pred t0, s4          # lanes without a quad are done
    beqz t0, done
    srli t0, t0, 1
    mul a2, t0, s6
    add a2, a2, s5
    csrr t1, raster_pos_mask
    srli a1, t1, 18
    slli a1, a1, 1          # the row of its upper pixels
    slli a0, t1, 14
    srli a0, a0, 18
    slli a0, a0, 1          # the column of its left ones
"""
END = """
    j loop
done:
    vx_tmc zero
"""
PIXEL = """
pixel{p}:
    csrr t1, raster_pos_mask
    srli t1, t1, {p}
    andi t1, t1, 1
    vx_split s8, t1
    beqz t1, rest{p}
    csrr t1, raster_bcoord_x{p}
    csrr t2, raster_bcoord_y{p}
    csrr t3, raster_bcoord_z{p}
    fcvt.s.w ft0, t1
    fcvt.s.w ft1, t2
    fcvt.s.w ft2, t3
    fmul.s ft0, ft0, fs0
    fmul.s ft1, ft1, fs0
    fmul.s ft2, ft2, fs0
    fadd.s ft3, ft0, ft1
    fadd.s ft3, ft3, ft2
    fdiv.s ft3, fs2, ft3    # 1 / (F0 + F1 + F2)
    fmul.s ft0, ft0, ft3
    fmul.s ft1, ft1, ft3
    fmul.s ft0, ft0, fs1
    fmul.s ft1, ft1, fs1
    fcvt.w.s a3, ft0, rtz   # dx
    fcvt.w.s a4, ft1, rtz   # dy
    li a5, -1               # the texel, or white
    andi t1, s7, {textured}
    beqz t1, colour{p}
{u}
    srai a6, t6, 1
{v}
    srai a7, t6, 1
    vx_tex a5, a6, a7, zero, 0
colour{p}:
    andi t1, s7, {colored}
    mv a6, a5
    beqz t1, depth{p}
    li a6, 0
{channels}
depth{p}:
    li a7, 0
    andi t1, s7, {tested}
    beqz t1, merge{p}
{z}
    and a7, t6, s2
merge{p}:
    addi t1, a0, {dx}
    addi t2, a1, {dy}
    slli t1, t1, 1
    slli t2, t2, 16
    or t1, t1, t2
{face}{cut}    vx_om t1, a6, a7
{kept}rest{p}:
    vx_join s8
"""
FACE = """\
    lw t3, {face}(a2)       # 1: its back is seen
    or t1, t1, t3
"""
CUT = """\
    srli t2, a6, 24
    sltiu t2, t2, {cut}
    xori t2, t2, 1
    vx_split s9, t2
    beqz t2, kept{p}
"""
KEPT = """\
kept{p}:
    vx_join s9
"""
# t6 = the value of a plane: ((ay * dy) >> 24) + (((ax * dx) >> 24) + az), of products of 64 bits
VALUE = """
    lw t1, {x}(a2)
    lw t2, {y}(a2)
    lw t6, {z}(a2)
    mul t3, t1, a3
    mulh t4, t1, a3
    srli t3, t3, 24
    slli t4, t4, 8
    or t3, t3, t4
    add t6, t6, t3
    mul t3, t2, a4
    mulh t4, t2, a4
    srli t3, t3, 24
    slli t4, t4, 8
    or t3, t3, t4
    add t6, t6, t3
"""
CHANNEL = """
    srli t1, a5, {shift}
    andi t5, t1, 255
{value}
    mul t6, t6, t5
    srli t6, t6, 24
    slli t6, t6, {shift}
    or a6, a6, t6
"""


def _value(plane: int) -> str:
    first = PLANES + 12 * plane
    return VALUE.format(x=first, y=first + 4, z=first + 8)


def shader(cut: int = 0, face: int = 0) -> str:
    """The program's text. Arguments, a word each: the primitive buffer, its stride, what is wanted.

    cut: fragments whose alpha, as a byte, is less are dropped. face: where in a triangle's bytes it says whether its back is seen, for a
    merger that wants that; 0: all are fronts.
    """
    channels = "".join(CHANNEL.format(shift=shift, value=_value(plane)) for plane, shift in BYTES)
    pixels = [
        PIXEL.format(
            p=p, dx=p & 1, dy=p >> 1, u=_value(U), v=_value(V), z=_value(Z), channels=channels,
            textured=TEXTURED, colored=COLORED, tested=TESTED, face=FACE.format(face=face) if face else "",
            cut=CUT.format(cut=cut, p=p) if cut else "", kept=KEPT.format(p=p) if cut else "",
        )
        for p in range(4)
    ]  # fmt: skip
    return START + "".join(pixels) + END
