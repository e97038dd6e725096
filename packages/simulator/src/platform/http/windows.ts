const SWEEP_ABOVE = 20_000;

export type Window = { endsAt: number; used: number };

/** Counts by key that begin anew when their time is over. A window opens with its first request. */
export const createWindows = (now: () => number) => {
  const windows = new Map<string, Window>();
  return {
    open: (key: string, perMs: number): Window => {
      const current = windows.get(key);
      if (current && current.endsAt > now()) return current;
      if (windows.size > SWEEP_ABOVE) deleteEnded(windows, now());
      const opened = { endsAt: now() + perMs, used: 0 };
      windows.set(key, opened);
      return opened;
    },
    clear: () => windows.clear(),
  };
};

const deleteEnded = (windows: Map<string, Window>, nowMs: number) => {
  for (const [key, window] of windows) if (window.endsAt <= nowMs) windows.delete(key);
};
