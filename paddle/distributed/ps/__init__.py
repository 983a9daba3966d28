"""The parameter server: tables of parameters that trainers read and update over the network.

The messages (:mod:`messages`) and what is done with them (:mod:`service`) know no transport; gRPC
stands in :mod:`server` and :mod:`client` alone.
"""

import os

# Readers of data are forked beside gRPC's threads and never call it. Its own handlers of forks, which
# are meant for those that do, print a line for each, and end such a process now and then.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
