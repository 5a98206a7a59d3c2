"""Facts of a run that several views share: events, timelines, history, producers, addresses of lanes."""
