"""Program-managed masks: the program itself pushes and pops lane masks, and branches only as a whole warp.

In hardware: a mask register, and a stack of (mask, PC) pairs that some instructions push and pop. The machine takes no
decision of its own: the compiler writes both sides of an `if` one after the other. Sources: guppy's push_mask,
pop_mask, mask_nz and br_push (github.com/aschrein/guppy); Vortex's split and join (Tine et al., MICRO 2021).
"""

from __future__ import annotations

import numpy as np

from warploom.machine.core.divergence.stack import push
from warploom.machine.engine.unit import unit

OK, OVERFLOW, UNDERFLOW = 0, 1, 2


@unit
def push_mask(stack, warps, warp, target):
    """guppy push_mask: remember the mask and where to go on when it is popped."""
    ok = push(stack, warp, warps.mask[warp], target, -1)
    warps.pc[warp] += 1
    return OK if ok != 0 else OVERFLOW


@unit
def pop_mask(stack, warps, warp):
    """guppy pop_mask: the remembered mask, at the remembered place."""
    depth = stack.depth[warp] - 1
    if depth < 0:
        return UNDERFLOW
    stack.depth[warp] = depth
    warps.mask[warp] = stack.mask[warp, depth] & warps.threads[warp]
    warps.pc[warp] = stack.pc[warp, depth]
    return OK


@unit
def mask_nonzero(stack, warps, warp, chosen):
    """guppy mask_nz: go on with the chosen lanes; when there are none, pop."""
    if chosen == np.uint64(0):
        return pop_mask(stack, warps, warp)
    warps.mask[warp] = chosen
    warps.pc[warp] += 1
    return OK


@unit
def branch_push(stack, warps, warp, chosen, otherwise, reconvergence_pc):
    """guppy br_push: the chosen lanes now, the others at `otherwise` afterwards, all together at `meet`."""
    mask = warps.mask[warp]
    rest = mask & ~chosen
    if push(stack, warp, mask, reconvergence_pc, -1) == 0:
        return OVERFLOW
    if rest != np.uint64(0) and push(stack, warp, rest, otherwise, -1) == 0:
        return OVERFLOW
    if chosen == np.uint64(0):
        return pop_mask(stack, warps, warp)
    warps.mask[warp] = chosen
    warps.pc[warp] += 1
    return OK


@unit
def split(stack, warps, warp, chosen):
    """Vortex split (2021): the chosen lanes go on; the others wait to run the same instructions from the split on.

    An entry whose `meet` is 1 restores the mask and goes on behind the join; one with 0 jumps to its PC.
    """
    mask = warps.mask[warp]
    rest = mask & ~chosen
    following = warps.pc[warp] + 1
    if push(stack, warp, mask, following, 1) == 0:
        return OVERFLOW
    if chosen != np.uint64(0) and rest != np.uint64(0):
        if push(stack, warp, rest, following, 0) == 0:
            return OVERFLOW
        warps.mask[warp] = chosen
    warps.pc[warp] = following
    return OK


@unit
def join(stack, warps, warp):
    """Vortex join (2021): pop; the other side of the split runs from behind the split, or all go on together."""
    depth = stack.depth[warp] - 1
    if depth < 0:
        return UNDERFLOW
    stack.depth[warp] = depth
    warps.mask[warp] = stack.mask[warp, depth] & warps.threads[warp]
    if stack.reconvergence_pc[warp, depth] != 0:
        warps.pc[warp] += 1
    else:
        warps.pc[warp] = stack.pc[warp, depth]
    return OK
