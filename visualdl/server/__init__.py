"""The server of the board: `visualdl --logdir FOLDER`, or `visualdl.server.app.run`."""
