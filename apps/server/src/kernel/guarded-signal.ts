const guards = new WeakMap<AbortSignal, () => boolean>();

/**
 * Ties a question to a signal, for whoever is about to do what cannot be taken back. A process that
 * was stopped goes on before any timer of it could abort the signal; the question looks at the clock.
 */
export const guardSignal = (signal: AbortSignal, mayAct: () => boolean): AbortSignal => {
  guards.set(signal, mayAct);
  return signal;
};

/** To be asked right before the step itself, after every wait. A signal without a guard is its own. */
export const mayStillAct = (signal: AbortSignal | undefined): boolean =>
  signal === undefined || (!signal.aborted && (guards.get(signal)?.() ?? true));
