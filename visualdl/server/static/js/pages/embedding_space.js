// Where points stand in the picture: fitted, zoomed and moved; in 3D turned, too.

const EDGE = 26; // px left free around the points
const AWAY = 3.4; // how far the eye is from the middle of a 3D cloud, in its radii

/** The view of the reader; it stays while points move. */
export class Space {
  constructor() {
    this.points = new Float32Array(0);
    this.dimension = 2;
    this.width = this.height = 1;
    this.reset();
    this.#sized(0);
    this.#measure();
  }

  get count() {
    return this.points.length / this.dimension;
  }

  /** Takes the points, row by row. */
  set(points, dimension) {
    const other = dimension !== this.dimension;
    if (other) this.reset();
    Object.assign(this, { points, dimension });
    this.#sized(this.count);
    if (other) this.size.fill(1);
    this.#measure();
  }

  #sized(count) {
    if (this.x?.length === count) return;
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    this.size = new Float32Array(count).fill(1); // how large a point is for its distance
    this.order = Int32Array.from({ length: count }, (_, at) => at);
  }

  /** The box around the points, and the largest distance from its middle. */
  #measure() {
    const { points, dimension, count } = this;
    const low = new Array(dimension).fill(Infinity);
    const high = new Array(dimension).fill(-Infinity);
    for (let at = 0; at < points.length; at += 1) {
      const d = at % dimension;
      if (points[at] < low[d]) low[d] = points[at];
      if (points[at] > high[d]) high[d] = points[at];
    }
    this.middle = low.map((value, d) => (count ? (value + high[d]) / 2 : 0));
    this.extent = low.map((value, d) => (count ? high[d] - value : 1));
    let radius = 0;
    for (let at = 0; at < count; at += 1) {
      let sum = 0;
      for (let d = 0; d < dimension; d += 1) {
        sum += (points[at * dimension + d] - this.middle[d]) ** 2;
      }
      if (sum > radius) radius = sum;
    }
    // half the diagonal of the box: its corners are to be seen as well
    this.radius = Math.max(Math.sqrt(radius), 0.5 * Math.hypot(...this.extent)) || 1;
  }

  /** Back to everything, seen from the front. */
  reset() {
    Object.assign(this, { zoom: 1, moveX: 0, moveY: 0, yaw: 0.6, pitch: 0.35 });
  }

  get changed() {
    return this.zoom !== 1 || this.moveX !== 0 || this.moveY !== 0
      || (this.dimension === 3 && (this.yaw !== 0.6 || this.pitch !== 0.35));
  }

  /** Makes things larger around a place of the picture. */
  zoomBy(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(400, Math.max(0.3, this.zoom * factor));
    const part = zoom / this.zoom;
    const [fromX, fromY] = [x - this.width / 2, y - this.height / 2];
    this.moveX = fromX - (fromX - this.moveX) * part;
    this.moveY = fromY - (fromY - this.moveY) * part;
    this.zoom = zoom;
  }

  moveBy(x, y) {
    this.moveX += x;
    this.moveY += y;
  }

  turnBy(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.pitch + pitch));
  }

  /** Moves the view so that a point is inside the picture. */
  reveal(at) {
    this.place();
    const [x, y] = [this.x[at], this.y[at]];
    if (x < EDGE || x > this.width - EDGE) this.moveX += this.width / 2 - x;
    if (y < EDGE || y > this.height - EDGE) this.moveY += this.height / 2 - y;
  }

  /** Computes `x`, `y`, `size` of each point and the `order` from back to front. */
  place() {
    if (this.dimension === 3) this.#place3();
    else this.#place2();
  }

  #place2() {
    const { points, count, middle, extent, x, y, zoom } = this;
    const fit = Math.min(
      Math.max(20, this.width - 2 * EDGE) / (extent[0] || 1e-9),
      Math.max(20, this.height - 2 * EDGE) / (extent[1] || 1e-9),
    );
    const scale = (extent[0] || extent[1] ? fit : 1) * zoom;
    const [left, top] = [this.width / 2 + this.moveX, this.height / 2 + this.moveY];
    for (let at = 0; at < count; at += 1) {
      x[at] = left + (points[2 * at] - middle[0]) * scale;
      y[at] = top - (points[2 * at + 1] - middle[1]) * scale;
    }
  }

  #place3() {
    const { points, count, x, y, size } = this;
    if (this.depth?.length !== count) this.depth = new Float32Array(count);
    const { depth } = this;
    const eye = this.#eye();
    for (let at = 0; at < count; at += 1) {
      const seen = eye(points[3 * at], points[3 * at + 1], points[3 * at + 2]);
      x[at] = seen[0];
      y[at] = seen[1];
      size[at] = seen[2];
      depth[at] = seen[3];
    }
    this.#sort(depth);
  }

  /** A function that gives x, y, size and depth (-1 back, 1 front) of a place in space. */
  #eye() {
    const [sinYaw, cosYaw] = [Math.sin(this.yaw), Math.cos(this.yaw)];
    const [sinPitch, cosPitch] = [Math.sin(this.pitch), Math.cos(this.pitch)];
    const { middle, radius } = this;
    const half = (Math.max(40, Math.min(this.width, this.height)) / 2 - EDGE / 2) * this.zoom;
    const [left, top] = [this.width / 2 + this.moveX, this.height / 2 + this.moveY];
    return (a, b, c) => {
      const [u, v, w] = [(a - middle[0]) / radius, (b - middle[1]) / radius,
        (c - middle[2]) / radius];
      const across = u * cosYaw + w * sinYaw;
      const back = w * cosYaw - u * sinYaw;
      const up = v * cosPitch - back * sinPitch;
      const near = v * sinPitch + back * cosPitch;
      const size = AWAY / (AWAY - near);
      return [left + across * half * size, top - up * half * size, size, near];
    };
  }

  #sort(depth) {
    const { order, count } = this;
    const SLOTS = 256;
    const start = new Int32Array(SLOTS + 1);
    const slot = (at) => Math.max(0, Math.min(SLOTS - 1, ((depth[at] + 1) * SLOTS) / 2 | 0));
    for (let at = 0; at < count; at += 1) start[slot(at) + 1] += 1;
    for (let at = 0; at < SLOTS; at += 1) start[at + 1] += start[at];
    for (let at = 0; at < count; at += 1) order[start[slot(at)]++] = at;
  }

  /** The edges of the box around a 3D cloud as `[x1, y1, x2, y2, near, axis]` (near: -1 .. 1). */
  box() {
    if (this.dimension !== 3 || !this.count) return [];
    const eye = this.#eye();
    const corner = (bits) => eye(...this.middle.map((value, d) =>
      value + ((bits >> d) & 1 ? 0.5 : -0.5) * this.extent[d]));
    const edges = [];
    for (let bits = 0; bits < 8; bits += 1) {
      for (let d = 0; d < 3; d += 1) {
        if ((bits >> d) & 1) continue;
        const [one, other] = [corner(bits), corner(bits | (1 << d))];
        edges.push([one[0], one[1], other[0], other[1], (one[3] + other[3]) / 2, d]);
      }
    }
    return edges;
  }

  /** Where the name of each axis of a 3D cloud stands: at the edge that is farthest outside. */
  axisPlaces() {
    const [left, top] = [this.width / 2 + this.moveX, this.height / 2 + this.moveY];
    const best = [];
    for (const [x1, y1, x2, y2, , d] of this.box()) {
      const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
      const lower = d === 1 ? left - x : y - top; // the upright axis has its name at the left
      if (lower > (best[d]?.[2] ?? -Infinity)) best[d] = [x, y + (d === 1 ? 0 : 16), lower];
    }
    return best;
  }

  /** The point nearest to a place, -1 where none that `shown` admits is within `reach` px. */
  nearest(x, y, reach, shown) {
    let [best, least] = [-1, reach * reach];
    for (let turn = this.count - 1; turn >= 0; turn -= 1) {
      const at = this.order[turn];
      const distance = (this.x[at] - x) ** 2 + (this.y[at] - y) ** 2;
      if (distance < least && shown(at)) [best, least] = [at, distance];
    }
    return best;
  }

  /** The next point from `from` towards a direction of the picture (unit vector). */
  next(from, dx, dy, shown) {
    let [best, least] = [-1, Infinity];
    for (let at = 0; at < this.count; at += 1) {
      if (at === from || !shown(at)) continue;
      const [x, y] = [this.x[at] - this.x[from], this.y[at] - this.y[from]];
      if (this.x[at] < 0 || this.x[at] > this.width || this.y[at] < 0
        || this.y[at] > this.height) continue;
      const along = x * dx + y * dy;
      const aside = Math.abs(x * dy - y * dx);
      if (along <= 0.5 || aside > along) continue;
      const cost = along + 2 * aside;
      if (cost < least) [best, least] = [at, cost];
    }
    return best;
  }
}
