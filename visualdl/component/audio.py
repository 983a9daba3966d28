"""Sound: arrays in, WAV of 16 bits out."""

from __future__ import annotations

import io
import logging
import wave
from typing import Any

from visualdl.component import checks
from visualdl.record import Record

logger = logging.getLogger("visualdl")


def to_record(
    tag: str, audio_array: Any, step: Any, sample_rate: Any = 8000, walltime: Any = None
) -> Any:
    """Gives sound as a Record; see `LogWriter.add_audio`."""
    rate = checks.whole(sample_rate, "sample_rate", 1, (1 << 31) - 1)
    found = samples(audio_array)
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(found.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(found.tobytes())
    sound = Record.Audio(
        sample_rate=rate,
        num_channels=found.shape[1],
        length_frames=len(found),
        encoded_audio_string=data.getvalue(),
        content_type="audio/wav",
    )
    return checks.record(tag, step, walltime, audio=sound)


def samples(audio_array: Any) -> Any:
    """Gives sound as 16-bit numbers: frames, channels.

    Args:
        audio_array: floats of -1 to 1; whole numbers of 16 bits; or bytes, each pair of which is a
            number of 16 bits, the low byte first, as `wave` reads them. Of two axes the shorter
            one is that of the channels.

    Raises:
        ValueError: it is none of these, is empty, or not finite.
    """
    import numpy as np

    found = checks.array(audio_array, "audio_array").squeeze()
    if found.ndim == 0:
        found = found.reshape(-1)
    if found.ndim > 2 or not found.size:
        raise ValueError(
            f"audio_array: expected samples, or samples by channels, but got shape {found.shape}."
        )
    if found.dtype == np.uint8:
        if found.ndim != 1 or len(found) % 2:
            raise ValueError(
                "audio_array: expected bytes in pairs, each a number of 16 bits, "
                f"but got shape {found.shape}."
            )
        found = np.frombuffer(found.tobytes(), "<i2")
    if found.ndim == 1:
        found = found[:, None]
    elif found.shape[0] < found.shape[1]:
        found = found.T
    if found.dtype.kind == "f":
        return _from_shares(found)
    if found.min() < -32768 or found.max() > 32767:
        raise ValueError(
            "audio_array: expected whole numbers of 16 bits, or floats of -1 to 1, "
            f"but got {found.min()} to {found.max()}."
        )
    return found.astype("<i2")


def _from_shares(found: Any) -> Any:
    """Gives floats of -1 to 1 as 16-bit numbers."""
    import numpy as np

    if not np.isfinite(found).all():
        raise ValueError("audio_array: expected finite numbers, but got NaN or infinity.")
    wide = found.astype(np.float64)
    if abs(wide).max() > 1:
        logger.warning("add_audio: samples outside of -1 to 1 are cut off.")
        wide = wide.clip(-1, 1)
    return (wide * 32767.0).astype("<i2")


def from_record(value: Any) -> tuple[int, Any]:
    """Gives the sample rate, and samples of 16 bits as an array: frames, channels."""
    import numpy as np

    with wave.open(io.BytesIO(value.audio.encoded_audio_string), "rb") as file:
        data = file.readframes(file.getnframes())
        return file.getframerate(), np.frombuffer(data, "<i2").reshape(-1, file.getnchannels())


def to_json(value: Any) -> dict[str, int]:
    """Gives `{"step", "wallTime"}`; the sound itself is asked for by its place."""
    return {"step": value.id, "wallTime": checks.shown_time(value.timestamp)}
