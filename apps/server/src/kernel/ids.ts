/** Time-ordered, so that new rows land at the end of every index. */
export const newId = (): string => Bun.randomUUIDv7();

/** 256 random bits as 43 characters that cookies and URLs can hold. */
export const newToken = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
