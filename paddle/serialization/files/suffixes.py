"""Names and suffixes of PaddlePaddle's files."""

PARAMS, OPT = ".pdparams", ".pdopt"  # pickled states of parameters and of an optimizer
SCALER = ".pdscaler"  # pickled state of a GradScaler
STATE = ".pdstate"  # where a training stands
PROGRAM, STREAMS = ".pdmodel", ".pdiparams"  # a Program, and the values of its variables
INFO = STREAMS + ".info"  # what is known of these variables
OLD_PROGRAM, OLD_PARAMS, OLD_INFO = "__model__", "__params__", "__variables.info__"  # in a folder
