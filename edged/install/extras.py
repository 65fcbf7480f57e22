"""What edged itself does without: the converters and the hubs' clients, extras of the package."""

INSTALL_EXTRAS = ".venv/bin/pip install '.[convert,hub]' in the clone"
