import type { REST } from '@discordjs/rest';

/**
 * The library keeps the end of each bucket's window, and of the global one, as a time of day. A clock
 * that is set back would make it wait for as long as the step. So both are kept by the monotonic clock
 * here, and told in whatever the time of day is when the library asks.
 */
export const keepBucketsByMonotonicClock = (rest: REST): void => {
  keepByMonotonicClock(rest, 'globalReset');
  const { handlers } = rest;
  const set = handlers.set.bind(handlers);
  handlers.set = (key, handler) => {
    keepByMonotonicClock(handler, 'reset');
    return set(key, handler);
  };
};

const keepByMonotonicClock = (holder: object, name: string): void => {
  if (kept.has(holder)) return;
  kept.add(holder);
  let endsAt = 0;
  const set = (timeOfDay: number) => {
    endsAt = performance.now() + (timeOfDay - Date.now());
  };
  set(Number(Reflect.get(holder, name) ?? -1));
  Object.defineProperty(holder, name, {
    get: () => Date.now() + (endsAt - performance.now()),
    set,
    configurable: true,
    enumerable: true,
  });
};

const kept = new WeakSet<object>();
