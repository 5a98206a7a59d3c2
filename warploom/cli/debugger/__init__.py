"""The debugger: `debugger.py` knows everything, `commands.py` is what it can be told, `app.py` its screen, the rest what is shown."""
