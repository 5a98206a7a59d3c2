"""What is said of the rows that the watch has written: findings in words.

`findings.py` says what is wrong, `places.py` where, in the words of who wrote the kernel, `fixes.py` what to write instead;
`schedules.py` on which machines a race shows, `consequences.py` whether anything comes of a read.
"""
