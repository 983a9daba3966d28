// Lays graphs out beside the page, so that a large one does not stop it.
import { place } from "./graph_layout.js";

self.addEventListener("message", ({ data }) => {
  try {
    self.postMessage({ ticket: data.ticket, placed: place(data.containers, data.across) });
  } catch (error) {
    self.postMessage({ ticket: data.ticket, error: String(error?.message ?? error) });
  }
});
