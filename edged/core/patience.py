"""How long announcements wait for a worker that cannot work."""

# A device that is replugged or let go by another program is back well within this time; longer than
# that, whoever waits for the result shall know.
PATIENCE_S = 10.0
# A child whose process has ended is started again at once, but a voice takes up to a minute to load on
# the slowest board; when it has not come back by then, it keeps ending.
RESTART_PATIENCE_S = 60.0
