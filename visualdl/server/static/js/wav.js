// Reads WAV files: their header, their samples, and what a drawing of them needs.

/**
 * Reads the header of a WAV file.
 *
 * @param {ArrayBuffer} buffer
 * @returns {{rate, channels, bits, float, frames, start, frame}} `start` is the offset of the
 *   samples, `frame` the bytes of one moment of all channels.
 * @throws {Error} where it is none, or of a form that is not PCM; its message is a key of words.
 */
export function header(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 12 || name(view, 0) !== "RIFF" || name(view, 8) !== "WAVE") {
    throw new Error("wavNone");
  }
  let format = null;
  for (let at = 12; at + 8 <= buffer.byteLength;) {
    const size = view.getUint32(at + 4, true);
    if (name(view, at) === "fmt ") format = formatOf(view, at + 8, size);
    if (name(view, at) === "data") {
      if (!format) throw new Error("wavNoFormat");
      const bytes = Math.min(size, buffer.byteLength - at - 8);
      return { ...format, start: at + 8, frames: Math.floor(bytes / format.frame) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error("wavNoSamples");
}

const name = (view, at) => String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));

function formatOf(view, at, size) {
  if (size < 16 || at + 16 > view.byteLength) throw new Error("wavBroken");
  let code = view.getUint16(at, true);
  if (code === 0xfffe && size >= 26) code = view.getUint16(at + 24, true);
  const channels = view.getUint16(at + 2, true);
  const bits = view.getUint16(at + 14, true);
  const float = code === 3;
  const known = code === 1 ? [8, 16, 24, 32] : float ? [32, 64] : [];
  if (channels < 1 || !known.includes(bits)) throw new Error("wavUnknown");
  const rate = view.getUint32(at + 4, true);
  return { rate, channels, bits, float, frame: (channels * bits) / 8 };
}

/** A function that gives the sample at an offset in -1..1. */
function reader(view, { bits, float }) {
  if (float) {
    return bits === 32 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true);
  }
  return {
    8: (at) => (view.getUint8(at) - 128) / 128,
    16: (at) => view.getInt16(at, true) / 32768,
    24: (at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 65536) / 8388608,
    32: (at) => view.getInt32(at, true) / 2147483648,
  }[bits];
}

/**
 * The lowest and the highest sample in each of `count` equal parts, for each channel.
 *
 * Of a long part at most 400 moments are looked at.
 *
 * @returns {Array<{low: Float32Array, high: Float32Array}>} one a channel.
 */
export function envelope(buffer, head, count) {
  const view = new DataView(buffer);
  const read = reader(view, head);
  const wide = head.bits / 8;
  return Array.from({ length: head.channels }, (_, channel) => {
    const low = new Float32Array(count);
    const high = new Float32Array(count);
    for (let part = 0; part < count; part += 1) {
      const from = Math.floor((part * head.frames) / count);
      const to = Math.max(from + 1, Math.floor(((part + 1) * head.frames) / count));
      const by = Math.max(1, Math.floor((to - from) / 400));
      let [least, most] = [Infinity, -Infinity];
      for (let at = from; at < to && at < head.frames; at += by) {
        const value = read(head.start + at * head.frame + channel * wide);
        if (value < least) least = value;
        if (value > most) most = value;
      }
      low[part] = Number.isFinite(least) ? least : 0;
      high[part] = Number.isFinite(most) ? most : 0;
    }
    return { low, high };
  });
}
