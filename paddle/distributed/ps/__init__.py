"""The parameter server: tables of parameters that trainers read and update over the network.

The messages (:mod:`messages`) and what is done with them (:mod:`service`) know no transport; gRPC
stands in :mod:`server` and :mod:`client` alone.
"""
