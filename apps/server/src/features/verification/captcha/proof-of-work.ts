import { randomBytes, randomInt } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { bodyBounds, parseBoundedJson } from '../../../kernel/json-bounds.ts';
import { type KeyRing, type Place, unlessBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import type { CaptchaResult } from './provider.ts';

/** About half a second on a desktop, a few seconds on a slow phone; costly for a raid of thousands. */
const cost = 2000;
const fewestTries = 200;
export const mostTries = 800;
const validMs = 10 * 60 * 1000;

type Pending = { id: string; accountId: string };

const placeOf = ({ id, accountId }: Pending): Place => ({
  // The former name of `pending_verifications`, as for the tokens (callback/pending-tokens.ts).
  table: 'verification_passages',
  column: 'challenge',
  rowId: id,
  accountId,
});

/**
 * A challenge for this pending verification alone. The form carries the secret that signs it, sealed
 * for the pending verification: any process can verify the solution, and nothing is stored.
 */
export const createProofOfWork = async (ring: KeyRing, clock: Clock, pending: Pending) => {
  const secret = randomBytes(32).toString('base64url');
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost,
    counter: randomInt(fewestTries, mostTries),
    deriveKey,
    expiresAt: new Date(clock.now().getTime() + validMs),
    hmacSignatureSecret: secret,
  });
  const seal = ring.seal(new Secret(secret), placeOf(pending));
  return { challenge: JSON.stringify(challenge), seal };
};

const hex = z.string().regex(/^[0-9a-f]{2,128}$/);
const challengeShape = z.strictObject({
  parameters: z.strictObject({
    algorithm: z.literal('PBKDF2/SHA-256'),
    cost: z.literal(cost),
    expiresAt: z.int(),
    keyLength: z.literal(32),
    keyPrefix: hex,
    nonce: hex,
    salt: hex,
  }),
  signature: hex,
});
const solutionShape = z.object({ counter: z.int().min(0).max(mostTries), derivedKey: hex });

type ProofForm = { challenge?: string; seal?: string; solution?: string };

const parseField = (text: string): unknown => {
  const parsed = parseBoundedJson(Buffer.from(text), bodyBounds);
  return 'value' in parsed ? parsed.value : undefined;
};

/** The hash identifies a solution that passed, so that it is not accepted twice. */
export const verifyProofOfWork = async (
  ring: KeyRing,
  pending: Pending,
  form: ProofForm,
): Promise<{ result: CaptchaResult; solutionHash?: string }> => {
  const { seal } = form;
  if (!form.solution || !form.challenge || !seal) return { result: 'missing' };
  const challenge = challengeShape.safeParse(parseField(form.challenge));
  const solution = solutionShape.safeParse(parseField(form.solution));
  if (!challenge.success || !solution.success) return { result: 'wrong' };
  const secret = unlessBroken(() => ring.open(seal, placeOf(pending)));
  // From an earlier pending verification, as on a page that was left open: not the newcomer's fault.
  if (!secret) return { result: 'stale' };
  const { expired, verified } = await verifySolution({
    challenge: challenge.data,
    solution: solution.data,
    deriveKey,
    hmacSignatureSecret: secret.reveal(),
  });
  if (expired) return { result: 'stale' };
  if (!verified) return { result: 'wrong' };
  return { result: 'passed', solutionHash: sha256Hex(challenge.data.parameters.nonce) };
};
