/** Time-ordered, so that new rows land at the end of every index. */
export const newId = (): string => Bun.randomUUIDv7();
