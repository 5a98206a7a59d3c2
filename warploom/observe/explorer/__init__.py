"""The explorer: one HTML page in which a run can be walked through, cycle by cycle, forwards and backwards.

`page.py` puts the page together: `page.html`, `style.css`, the modules (`*.js`, a view each), and the data of one run or two, laid out
in `data.py`. Nobody builds anything, and the page loads nothing from elsewhere.
"""
