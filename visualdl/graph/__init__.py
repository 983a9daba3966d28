"""The graph page's server side: reads model files as graphs, and writes the Program of a Layer.

Reading needs neither paddle nor onnx: :mod:`visualdl.graph.schema` states the few messages of
which model files consist. Only :func:`visualdl.graph.writing.add_graph` imports paddle.
"""
