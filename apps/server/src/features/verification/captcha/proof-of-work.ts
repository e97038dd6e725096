import { randomBytes, randomInt } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { type KeyRing, type Place, SealBroken } from '../../../kernel/seal.ts';
import { Secret } from '../../../kernel/secret.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import type { CaptchaVerdict } from './verdict.ts';

/** About half a second on a desk, a few seconds on a slow phone; a raid of thousands feels it. */
const cost = 2000;
const fewestTries = 200;
export const mostTries = 800;
const goodForMs = 10 * 60 * 1000;

type Passage = { id: string; accountId: string };

const placeOf = ({ id, accountId }: Passage): Place => ({
  table: 'verification_passages',
  column: 'challenge',
  rowId: id,
  accountId,
});

/**
 * A task for this passage alone. The secret it is signed with travels along, sealed into the passage:
 * so any process can check the solution, nothing is kept, and it is worth nothing to anybody else.
 */
export const createTask = async (ring: KeyRing, clock: Clock, passage: Passage) => {
  const secret = randomBytes(32).toString('base64url');
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost,
    counter: randomInt(fewestTries, mostTries),
    deriveKey,
    expiresAt: new Date(clock.now().getTime() + goodForMs),
    hmacSignatureSecret: secret,
  });
  const seal = ring.seal(new Secret(secret), placeOf(passage));
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

type Sent = { challenge?: string; seal?: string; solution?: string };

/** The verdict, and by what a solution that passed is known again. */
export const checkSolution = async (
  ring: KeyRing,
  passage: Passage,
  sent: Sent,
): Promise<{ verdict: CaptchaVerdict; solutionHash: string }> => {
  const verdict = (of: CaptchaVerdict, solutionHash = '') => ({ verdict: of, solutionHash });
  if (!sent.solution || !sent.challenge || !sent.seal) return verdict('missing');
  const challenge = challengeShape.safeParse(parseJson(sent.challenge));
  const solution = solutionShape.safeParse(parseJson(sent.solution));
  if (!challenge.success || !solution.success) return verdict('wrong');
  const secret = openSeal(ring, passage, sent.seal);
  // Of an earlier passage, as from a page that was left open: not theirs, and not their fault.
  if (!secret) return verdict('stale');
  const told = await verifySolution({
    challenge: challenge.data,
    solution: solution.data,
    deriveKey,
    hmacSignatureSecret: secret.reveal(),
  });
  if (told.expired) return verdict('stale');
  const { nonce } = challenge.data.parameters;
  return told.verified ? verdict('passed', sha256Hex(nonce)) : verdict('wrong');
};

const openSeal = (ring: KeyRing, passage: Passage, seal: string): Secret | undefined => {
  try {
    return ring.open(seal, placeOf(passage));
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
