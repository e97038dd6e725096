/**
 * The id of a plan: proof that somebody was shown what a destructive call would do.
 *
 * It is stored nowhere. It holds when the plan ends, a fingerprint of what the plan said, and a MAC over
 * both and over the call that was planned. The MAC's key is the API key of the caller, so an id serves one
 * key only, in every process and after every restart. Before the call is made the plan is computed again:
 * another fingerprint means that the server has changed since, and the new plan has to be shown.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Long enough to read a plan and to ask a person; too short to come back to it tomorrow. */
const lifetimeSeconds = 15 * 60;

const prefix = 'plan_';
const timeBytes = 5;
const fingerprintBytes = 12;
const macBytes = 16;

/** An operation with its input. */
type PlannedCall = { operation: string; params?: unknown; query?: unknown; body?: unknown };

export type PlanIds = {
  issue(call: PlannedCall, said: unknown): { planId: string; expiresAt: string };
  /** Whether the id was issued for this call to this key; then also what it was issued about. */
  check(
    planId: string,
    call: PlannedCall,
  ): 'invalid' | 'expired' | { isAbout(said: unknown): boolean };
};

export const createPlanIds = (secret: string, now: () => number = Date.now): PlanIds => {
  const key = createHash('sha256').update(`holdfast plan ids\0${secret}`).digest();
  const macOf = (head: Uint8Array, call: PlannedCall): Buffer =>
    createHmac('sha256', key).update(head).update(canonical(call)).digest().subarray(0, macBytes);

  return {
    issue(call, said) {
      const endsAt = Math.floor(now() / 1000) + lifetimeSeconds;
      const head = Buffer.concat([timeOf(endsAt), fingerprintOf(said)]);
      const planId = `${prefix}${Buffer.concat([head, macOf(head, call)]).toString('base64url')}`;
      return { planId, expiresAt: new Date(endsAt * 1000).toISOString() };
    },
    check(planId, call) {
      const bytes = Buffer.from(planId.slice(prefix.length), 'base64url');
      const head = bytes.subarray(0, timeBytes + fingerprintBytes);
      const mac = bytes.subarray(head.length);
      if (!planId.startsWith(prefix) || mac.length !== macBytes) return 'invalid';
      if (!timingSafeEqual(mac, macOf(head, call))) return 'invalid';
      if (head.readUIntBE(0, timeBytes) * 1000 <= now()) return 'expired';
      return { isAbout: (said) => head.subarray(timeBytes).equals(fingerprintOf(said)) };
    },
  };
};

const timeOf = (seconds: number): Buffer => {
  const bytes = Buffer.alloc(timeBytes);
  bytes.writeUIntBE(seconds, 0, timeBytes);
  return bytes;
};

const fingerprintOf = (said: unknown): Buffer =>
  createHash('sha256').update(canonical(said)).digest().subarray(0, fingerprintBytes);

/** The same text for the same value, whatever the order of its fields; absent fields do not count. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';
