import { type Holdfast, holdfastOf } from '../src/client.ts';
import type { HoldfastOptions } from '../src/index.ts';
import { type Settings, settingsOf } from '../src/settings.ts';

/** A client that does not wait between attempts, and the times it would have waited. */
export const quickClient = (
  options: HoldfastOptions,
  whilePausing: (ms: number) => void = () => undefined,
): { holdfast: Holdfast; pausesMs: number[] } => {
  const pausesMs: number[] = [];
  const pause: Settings['pause'] = async (ms, signal) => {
    signal?.throwIfAborted();
    pausesMs.push(ms);
    whilePausing(ms);
    // What the service has under way goes on, as in a real pause.
    await Bun.sleep(5);
  };
  return { holdfast: holdfastOf({ ...settingsOf(options), pause }), pausesMs };
};
