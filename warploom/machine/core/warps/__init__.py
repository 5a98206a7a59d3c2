"""A core's state of its warps: warp table, scoreboard, barriers, stall accounts, and the end of a warp."""
