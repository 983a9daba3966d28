// Audio: a player with a drawing of the sound, one card a tag, the runs side by side.
import { el, fill, icon, svg } from "../dom.js";
import { Blobs, openSamples, saveName, sampleWords } from "../samples.js";
import { envelope, header } from "../wav.js";

export const words = sampleWords({
  en: {
    play: "Play ({0})", pause: "Pause ({0})", volume: "Volume", position: "Position ({0})",
    saveAudio: "Save this sound ({0})", noWave: "This sound cannot be drawn: {0}",
    cannotPlay: "The browser cannot play this sound.", seconds: "{0} of {1}",
    sound: "{0} Hz · {1} · {2} bit", mono: "mono", stereo: "stereo", channels: "{0} channels",
    wavNone: "not a WAV file", wavNoFormat: "a WAV file without a format",
    wavNoSamples: "a WAV file without samples", wavBroken: "a WAV file with a broken format",
    wavUnknown: "a WAV file of an unknown form",
  },
  zh: {
    play: "播放（{0}）", pause: "暂停（{0}）", volume: "音量", position: "位置（{0}）",
    saveAudio: "保存此音频（{0}）", noWave: "无法绘制此音频：{0}",
    cannotPlay: "浏览器无法播放此音频。", seconds: "{0}，共 {1}",
    sound: "{0} Hz · {1} · {2} 位", mono: "单声道", stereo: "立体声", channels: "{0} 声道",
    wavNone: "不是 WAV 文件", wavNoFormat: "WAV 文件缺少格式信息",
    wavNoSamples: "WAV 文件没有采样数据", wavBroken: "WAV 文件的格式信息已损坏",
    wavUnknown: "未知形式的 WAV 文件",
  },
});
export const styles = ["css/scalar.css", "css/samples.css"];
export const usesRuns = true;

const KEPT_VOLUME = "visualdl.volume";

/** Opens the page. */
export async function open(root, board) {
  const blobs = new Blobs(board, "audio/audio", 128 << 20);
  const shared = { volume: Number(localStorage.getItem(KEPT_VOLUME) ?? 0.8), playing: null };
  if (!(shared.volume >= 0 && shared.volume <= 1)) shared.volume = 0.8;
  shared.setVolume = (volume) => {
    shared.volume = volume;
    localStorage.setItem(KEPT_VOLUME, String(volume));
    page.panels((panel) => panel.showVolume());
  };
  const page = openSamples(root, board, {
    kind: "audio",
    panel: (place) => new Player(board, blobs, place, shared),
  });
  return page;
}

/** One run's sound of a tag. */
class Player {
  constructor(board, blobs, { run, name, tag }, shared) {
    Object.assign(this, { board, blobs, run, name, tag, shared, address: null, head: null });
    const t = board.t;
    this.audio = new Audio();
    this.audio.preload = "auto";
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.place = el("input", {
      type: "range", min: 0, max: 1, step: 0.001, "aria-label": t("position", name),
    });
    this.place.value = 0;
    this.wave = el("div", { class: "wave" }, this.canvas, this.place);
    this.button = el("button", {
      type: "button", class: "square play", onclick: () => this.toggle(),
    });
    this.time = el("span", { class: "time" });
    this.volume = el("input", { type: "range", min: 0, max: 1, step: 0.05,
      "aria-label": t("volume") });
    this.info = el("span", { class: "muted" });
    this.note = el("p", { class: "muted", hidden: true });
    const loud = el("label", { class: "volume", title: t("volume") }, speaker(), this.volume);
    this.element = el("div", { class: "sample-audio" }, this.wave, this.note,
      el("div", { class: "player" }, this.button, this.time, loud));
    this.actions = [
      board.iconButton("download", t("saveAudio", name), () => this.#save()),
    ];
    this.#listen();
    this.showVolume();
    this.#drawButton();
  }

  #listen() {
    const audio = this.audio;
    for (const event of ["play", "pause", "ended"]) {
      audio.addEventListener(event, () => this.#drawButton());
    }
    audio.addEventListener("timeupdate", () => this.#follow());
    audio.addEventListener("loadedmetadata", () => this.#follow());
    audio.addEventListener("error", () => {
      if (audio.getAttribute("src")) this.#say(this.board.t("cannotPlay"));
    });
    this.place.addEventListener("input", () => {
      audio.currentTime = Number(this.place.value) * this.length;
      this.#follow();
    });
    this.place.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const to = audio.currentTime + by * Math.max(0.01, this.length * 0.02);
      audio.currentTime = Math.min(this.length, Math.max(0, to));
      this.#follow();
    });
    this.volume.addEventListener("input", () => this.shared.setVolume(Number(this.volume.value)));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.wave);
  }

  get length() {
    if (this.head) return this.head.frames / this.head.rate;
    return Number.isFinite(this.audio.duration) ? this.audio.duration : 0;
  }

  /** Shows the record at `index`. */
  async show(record, index, signal) {
    const blob = await this.blobs.get(this.run, this.tag, index, record.ms, signal);
    const buffer = await blob.arrayBuffer();
    if (signal.aborted) return;
    Object.assign(this, { record, index, blob, buffer, head: null });
    this.audio.pause();
    const old = this.address;
    this.address = URL.createObjectURL(blob);
    this.audio.src = this.address;
    if (old) URL.revokeObjectURL(old);
    this.note.hidden = true;
    try {
      this.head = header(buffer);
      fill(this.info, this.#form());
    } catch (error) {
      fill(this.info);
      this.#say(this.board.t("noWave", this.board.t(error.message)));
    }
    this.seen = { index, step: record.step, bytes: blob.size, head: this.head };
    this.place.value = 0;
    this.draw();
    this.#follow();
  }

  #form() {
    const t = this.board.t;
    const { rate, channels, bits } = this.head;
    const names = { 1: t("mono"), 2: t("stereo") };
    return t("sound", rate.toLocaleString(), names[channels] ?? t("channels", channels), bits);
  }

  #say(text) {
    fill(this.note, text);
    this.note.hidden = false;
  }

  toggle() {
    if (!this.blob) return;
    if (!this.audio.paused) {
      this.audio.pause();
      return;
    }
    if (this.shared.playing !== this) this.shared.playing?.audio.pause();
    this.shared.playing = this;
    this.audio.play().catch((error) => {
      if (error.name !== "AbortError") this.#say(this.board.t("cannotPlay"));
    });
    this.#run();
  }

  /** Moves the mark while the sound plays. */
  #run() {
    requestAnimationFrame(() => {
      if (this.audio.paused || this.audio.ended) return;
      this.#follow();
      this.#run();
    });
  }

  #follow() {
    const at = Math.min(this.audio.currentTime, this.length);
    const part = this.length > 0 ? at / this.length : 0;
    this.place.value = part;
    const text = this.board.t("seconds", clock(at), clock(this.length));
    this.place.setAttribute("aria-valuetext", text);
    fill(this.time, `${clock(at)} / ${clock(this.length)}`);
    this.draw(part);
  }

  #drawButton() {
    const on = !this.audio.paused && !this.audio.ended;
    const label = this.board.t(on ? "pause" : "play", this.name);
    this.button.title = label;
    this.button.setAttribute("aria-label", label);
    fill(this.button, icon(on ? "pause" : "play"));
    this.element.classList.toggle("playing", on);
  }

  showVolume() {
    this.volume.value = this.shared.volume;
    this.audio.volume = this.shared.volume;
  }

  /** Draws the sound, what was played in the colour of the run. */
  draw(part = Number(this.place.value)) {
    const { clientWidth: width, clientHeight: height } = this.wave;
    if (!width || !height || !this.head) return;
    const scale = Math.min(2, devicePixelRatio || 1);
    const canvas = this.canvas;
    if (canvas.width !== Math.round(width * scale) || this.drawnOf !== this.buffer) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      this.shape = envelope(this.buffer, this.head, Math.max(1, Math.floor(width / 2)));
      this.drawnOf = this.buffer;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const high = height / this.shape.length;
    this.shape.forEach((one, row) => {
      const middle = high * (row + 0.5);
      const count = one.low.length;
      for (let i = 0; i < count; i += 1) {
        const top = middle - clip(one.high[i]) * (high / 2 - 2);
        const bottom = middle - clip(one.low[i]) * (high / 2 - 2);
        pen.fillStyle = i < part * count ? this.board.color(this.run)
          : this.board.variable("--muted");
        pen.globalAlpha = i < part * count ? 1 : 0.55;
        pen.fillRect(i * 2, top, 1.4, Math.max(1, bottom - top));
      }
    });
    pen.globalAlpha = 1;
    pen.fillStyle = this.board.variable("--accent");
    pen.fillRect(Math.min(width - 1.5, part * width), 0, 1.5, height);
  }

  #save() {
    if (this.blob) this.board.download(saveName(this, "wav"), this.blob);
  }

  themeChanged() {
    this.draw();
  }

  close() {
    this.audio.pause();
    this.observer.disconnect();
    this.audio.removeAttribute("src");
    if (this.shared.playing === this) this.shared.playing = null;
    if (this.address) URL.revokeObjectURL(this.address);
  }
}

const clip = (value) => Math.min(1, Math.max(-1, Number.isFinite(value) ? value : 0));

/** Seconds as "0:01.50". */
function clock(seconds) {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(2).padStart(5, "0")}`;
}

function speaker() {
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", {
      d: "M2.5 6v4h2.5l3.5 3V3L5 6zM11 5.5a3.5 3.5 0 0 1 0 5M12.8 3.7a6 6 0 0 1 0 8.6",
    }));
}
