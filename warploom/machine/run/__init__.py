"""Running a machine, whatever its kind: the protocol, the driver, compiling, recording, livelock detection, the plain result."""
