import {
  OperationProcessingError,
  RESPONSE_IS_NOT_CONFORM,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { z } from 'zod';
import { type FailureKind, PlatformFailure } from './failures.ts';

/**
 * All that may be known of a library's error. Theirs carry whole answers, and those hold tokens; even
 * the message of a failed `JSON.parse` quotes its text. So nothing but fixed words is taken over.
 */
export class FaultTrace extends Error {
  readonly code: string | undefined;

  constructor(error: unknown) {
    const code = codeOf(error);
    const name = error instanceof Error ? error.name : 'Error';
    super(code === undefined ? name : `${name} ${code}`);
    this.name = 'FaultTrace';
    this.code = code;
  }
}

export const unreachable = (error: unknown): PlatformFailure =>
  error instanceof PlatformFailure
    ? error
    : new PlatformFailure('unreachable', { cause: new FaultTrace(error) });

/** Nobody was there to take the request, so it cannot have had any effect. */
export const isNeverReached = ({ kind, cause }: PlatformFailure): boolean =>
  kind === 'unreachable' && cause instanceof FaultTrace && cause.code === 'ECONNREFUSED';

/** What the token endpoints' answer means. A mistake of our own is no failure of theirs: it is thrown. */
export const tokenFailureOf = async (error: unknown): Promise<PlatformFailure> => {
  if (error instanceof PlatformFailure) return error;
  if (error instanceof ResponseBodyError) return refusal(error.error, error.status);
  if (error instanceof WWWAuthenticateChallengeError) {
    return refusal(await wordIn(error.response), error.status);
  }
  const isAnswer =
    error instanceof OperationProcessingError || error instanceof UnsupportedOperationError;
  if (!isAnswer) throw error;
  const status = error.cause instanceof Response ? error.cause.status : 200;
  // Well-formed, but without a word of RFC 6749: the platform's own form of a refusal.
  const isRefusal = error.code === RESPONSE_IS_NOT_CONFORM && status >= 400;
  const cause = new FaultTrace(error);
  return new PlatformFailure(isRefusal ? 'refused' : 'badAnswer', { status, cause });
};

const kindOfWord = new Map<unknown, FailureKind>([
  ['invalid_grant', 'grantRevoked'],
  ['invalid_client', 'clientRefused'],
]);

const refusal = (word: unknown, status: number): PlatformFailure =>
  new PlatformFailure(kindOfWord.get(word) ?? 'refused', { status });

const errorBody = z.object({ error: z.string() });

const wordIn = async (response: Response): Promise<string | undefined> => {
  const body: unknown = await response.json().catch(() => undefined);
  return errorBody.safeParse(body).data?.error;
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
