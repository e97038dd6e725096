/** Injected, so that tests can move time. Leases and cooldowns use the database's clock instead. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
