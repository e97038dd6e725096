import type { Clock } from '../../kernel/clock.ts';

/** Older, or further ahead, counts as a recording that somebody plays again. */
const toleranceMs = 5 * 60 * 1000;

export type SignedRequest = { signature: string; timestamp: string; body: Uint8Array };

/** Whether the platform itself sent this, in the name of the application of that public key. */
export const isSigned = async (
  clock: Clock,
  publicKey: string,
  { signature, timestamp, body }: SignedRequest,
): Promise<boolean> => {
  if (!/^[0-9a-f]{64}$/i.test(publicKey) || !/^[0-9a-f]{128}$/i.test(signature)) return false;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const ageMs = clock.now().getTime() - Number(timestamp) * 1000;
  if (Math.abs(ageMs) > toleranceMs) return false;
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  try {
    const raw = Buffer.from(publicKey, 'hex');
    const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'hex'), signed);
  } catch {
    // Not every 64 hex digits are a key.
    return false;
  }
};
