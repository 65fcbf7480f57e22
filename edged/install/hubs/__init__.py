"""The hubs that publish checkpoints, through their own clients, in a process of their own (`__main__.py`)."""
