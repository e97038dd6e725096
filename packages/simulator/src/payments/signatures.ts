import { createHmac, randomBytes } from 'node:crypto';

/** The card provider's header: fresh at every attempt, over the time and the bytes that are sent. */
export const signCardEvent = (body: string, secret: string, atMs: number): string => {
  const t = Math.floor(atMs / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  // A scheme of its test mode, which nobody is to trust.
  return `t=${t},v1=${v1},v0=${randomBytes(32).toString('hex')}`;
};

export const signCryptoCallback = (body: string, secret: string): string =>
  createHmac('sha512', secret).update(body).digest('hex');
