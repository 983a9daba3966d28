// Numbers, times and durations as text.

/** A number with about five digits; NaN and infinities by name. */
export function number(value, digits = 5) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toString().replace("-", "−");
  const text = size >= 1e6 || size < 1e-4
    ? value.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e")
    : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** A number for an axis: as short as it can be. */
export function short(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return number(value, 5);
  if (size >= 1e6 && Number.isInteger(value / 1e5)) return `${number(value / 1e6, 4)}M`;
  if (size >= 1e4 && Number.isInteger(value / 100)) return `${number(value / 1000, 4)}k`;
  return number(Number(value.toPrecision(6)), 4);
}

/** Seconds as 12.3s, 4m 05s, 2h 07m, 3d 04h. */
export function duration(seconds) {
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s < 1) return `${sign}${Number(s.toPrecision(3))}s`;
  if (s < 60) return `${sign}${Number(s.toFixed(1))}s`;
  const two = (value) => String(Math.floor(value)).padStart(2, "0");
  if (s < 3600) return `${sign}${Math.floor(s / 60)}m ${two(s % 60)}s`;
  if (s < 86400) return `${sign}${Math.floor(s / 3600)}h ${two((s % 3600) / 60)}m`;
  return `${sign}${Math.floor(s / 86400)}d ${two((s % 86400) / 3600)}h`;
}

/** Milliseconds since 1970 as local date and time. */
export function time(ms) {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return String(ms);
  const two = (value) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ` +
    `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
