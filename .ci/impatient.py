"""A pytest plugin that shortens the intervals at which clients poll an execution: executions end at once here."""

import time

sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.05))
