"""Views in text: memory, summary, log, report, and the colours and words that all views share."""
