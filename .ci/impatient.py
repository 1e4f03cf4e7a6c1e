"""A pytest plugin: clients that wait for an execution ask again soon, because executions here end at once."""

import time

sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.05))
