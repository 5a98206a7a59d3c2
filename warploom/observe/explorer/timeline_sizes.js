// Sizes in the picture of lanes, in pixels.

export const LABELS = 74; // pixels of the names on the left
export const AXIS = 20; // of the numbers of cycles
export const OVERVIEW = 8; // of the strip that is the whole run
export const TRAFFIC = 26; // of the accesses in flight, below
export const GAP = 4; // between two bands
export const LEAST_BAND = 12; // of a band, when there are many
export const MOST_LANE = 36; // of a lane, when there are few
export const MOST_SCALE = 160; // of a cycle, at the closest
