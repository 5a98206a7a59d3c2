"""The states of a core that runs one instruction at a time, numbered as tiny-gpu numbers them."""

STATES = ("idle", "fetch", "decode", "request", "wait", "execute", "update", "done")
IDLE, FETCH, DECODE, REQUEST, WAIT, EXECUTE, UPDATE, DONE = range(len(STATES))
