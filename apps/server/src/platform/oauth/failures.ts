import {
  OperationProcessingError,
  RESPONSE_IS_NOT_CONFORM,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { z } from 'zod';
import { errorCode } from '../../kernel/describe-error.ts';
import { type FailureKind, PlatformFailure } from '../failures.ts';

/**
 * The name and code of a library's error, and nothing else. Their errors carry whole answers, which hold
 * tokens; even the message of a failed `JSON.parse` quotes its text.
 */
export class RedactedError extends Error {
  readonly code: string | undefined;

  constructor(error: unknown) {
    const code = errorCode(error);
    const name = error instanceof Error ? error.name : 'Error';
    super(code === undefined ? name : `${name} ${code}`);
    this.name = 'RedactedError';
    this.code = code;
  }
}

export const unreachable = (error: unknown): PlatformFailure =>
  error instanceof PlatformFailure
    ? error
    : new PlatformFailure('unreachable', { cause: new RedactedError(error) });

/** The connection was refused, so the request cannot have had any effect. */
export const wasNeverReceived = ({ kind, cause }: PlatformFailure): boolean =>
  kind === 'unreachable' && cause instanceof RedactedError && cause.code === 'ECONNREFUSED';

/** The failure of a token endpoint's answer. An error of our own is not a failure: it is thrown. */
export const tokenFailureOf = async (error: unknown): Promise<PlatformFailure> => {
  if (error instanceof PlatformFailure) return error;
  if (error instanceof ResponseBodyError) return refusal(error.error, error.status);
  if (error instanceof WWWAuthenticateChallengeError) {
    return refusal(await errorCodeIn(error.response), error.status);
  }
  const isAnswer =
    error instanceof OperationProcessingError || error instanceof UnsupportedOperationError;
  if (!isAnswer) throw error;
  const status = error.cause instanceof Response ? error.cause.status : 200;
  // Valid JSON without an error code of RFC 6749: the platform's own form of an error.
  const isRefusal = error.code === RESPONSE_IS_NOT_CONFORM && status >= 400;
  const cause = new RedactedError(error);
  return new PlatformFailure(isRefusal ? 'refused' : 'badAnswer', { status, cause });
};

const kindOfErrorCode = new Map<unknown, FailureKind>([
  ['invalid_grant', 'grantRevoked'],
  ['invalid_client', 'clientRefused'],
]);

const refusal = (errorCode: unknown, status: number): PlatformFailure =>
  new PlatformFailure(kindOfErrorCode.get(errorCode) ?? 'refused', { status });

const errorBody = z.object({ error: z.string() });

const errorCodeIn = async (response: Response): Promise<string | undefined> => {
  const body: unknown = await response.json().catch(() => undefined);
  return errorBody.safeParse(body).data?.error;
};
