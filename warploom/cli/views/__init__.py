"""Commands that show what a run did: picture, explore, profile, check, debug.

`against.py` is the run beside the first one, `page_size.py` says how large an explorer's page becomes. The debugger's own files are in
`debugger/`.
"""
