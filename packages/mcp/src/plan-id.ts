/**
 * The id of a plan: proof that somebody was shown what a destructive call would do.
 *
 * It is stored nowhere. It holds when the plan ends, a fingerprint of what the plan said, and a MAC over
 * both and over the call that was planned. The MAC's key is the API key of the caller, so an id serves one
 * key only, in every process and after every restart. Before the call is made the plan is computed again:
 * another fingerprint means that the server has changed since, and the new plan has to be shown.
 */

/** Long enough to read a plan and to ask a person; too short to come back to it tomorrow. */
const lifetimeSeconds = 15 * 60;

const prefix = 'plan_';
const timeBytes = 5;
const fingerprintBytes = 12;
const headBytes = timeBytes + fingerprintBytes;

/** An operation with its input. */
type PlannedCall = { operation: string; params?: unknown; query?: unknown; body?: unknown };

export type PlanIds = {
  issue(call: PlannedCall, said: unknown): Promise<{ planId: string; expiresAt: string }>;
  /** Whether the id was issued for this call to this key; then also what it was issued about. */
  check(
    planId: string,
    call: PlannedCall,
  ): Promise<'invalid' | 'expired' | { isAbout(said: unknown): Promise<boolean> }>;
};

export const createPlanIds = (secret: string, now: () => number = Date.now): PlanIds => {
  const signed = (head: Uint8Array, call: PlannedCall) =>
    Buffer.concat([Buffer.from('holdfast plan\0'), head, Buffer.from(canonical(call))]);

  return {
    async issue(call, said) {
      const endsAt = Math.floor(now() / 1000) + lifetimeSeconds;
      const head = Buffer.concat([timeOf(endsAt), await fingerprintOf(said)]);
      const mac = await crypto.subtle.sign('HMAC', await keyOf(secret), signed(head, call));
      const planId = `${prefix}${Buffer.concat([head, new Uint8Array(mac)]).toString('base64url')}`;
      return { planId, expiresAt: new Date(endsAt * 1000).toISOString() };
    },
    async check(planId, call) {
      if (!planId.startsWith(prefix)) return 'invalid';
      const text = planId.slice(prefix.length);
      const bytes = Buffer.from(text, 'base64url');
      // Only the text that was issued: decoding passes over what is no part of the alphabet.
      if (bytes.toString('base64url') !== text) return 'invalid';
      const head = bytes.subarray(0, headBytes);
      const mac = bytes.subarray(headBytes);
      const key = await keyOf(secret);
      if (!(await crypto.subtle.verify('HMAC', key, mac, signed(head, call)))) return 'invalid';
      if (head.readUIntBE(0, timeBytes) * 1000 <= now()) return 'expired';
      const fingerprint = head.subarray(timeBytes);
      return { isAbout: async (said) => fingerprint.equals(await fingerprintOf(said)) };
    },
  };
};

const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const timeOf = (seconds: number): Buffer => {
  const bytes = Buffer.alloc(timeBytes);
  bytes.writeUIntBE(seconds, 0, timeBytes);
  return bytes;
};

const fingerprintOf = async (said: unknown): Promise<Buffer> =>
  (await hashOf(canonical(said))).subarray(0, fingerprintBytes);

export const hashOf = async (text: string): Promise<Buffer> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text)));

/** The same text for the same value, whatever the order of its fields; absent fields do not count. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';
