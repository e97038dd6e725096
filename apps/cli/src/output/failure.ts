import {
  type DeviceLoginFailure,
  HoldfastError,
  HoldfastJobFailed,
  HoldfastLoginFailed,
  HoldfastNetworkError,
} from '@holdfast/sdk';
import { CommandError, type ExitName, exitCodes } from '../exit-codes.ts';
import { relativeTime } from './format.ts';
import { clean, type Style } from './style.ts';
import { wrap } from './wrap.ts';

/** What went wrong, as it is printed. */
export type Failure = {
  exit: ExitName;
  message: string;
  /** Mistakes by flag or argument. */
  fields: Record<string, string[]>;
  hints: string[];
  requestId?: string;
};

/** `placeOf`: the flag or argument that a field of the API was given by. */
export const failureOf = (error: unknown, placeOf: (field: string) => string): Failure => {
  if (error instanceof CommandError) {
    return { exit: error.exit, message: error.message, fields: {}, hints: error.hints };
  }
  if (error instanceof HoldfastError) return apiFailure(error, placeOf);
  if (error instanceof HoldfastNetworkError) {
    const hints = ['Is the address right, and the service running? holdfast doctor'];
    return { exit: 'unreachable', message: `No answer: ${error.message}`, fields: {}, hints };
  }
  if (error instanceof HoldfastLoginFailed) {
    return { exit: loginExits[error.kind], message: error.message, fields: {}, hints: [] };
  }
  if (error instanceof HoldfastJobFailed) {
    return { exit: 'jobFailed', message: error.message, fields: {}, hints: [] };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exit: 'failure', message, fields: {}, hints: [] };
};

const loginExits: Record<DeviceLoginFailure, ExitName> = {
  denied: 'notSignedIn',
  expired: 'notSignedIn',
  invalidScope: 'usage',
  rateLimited: 'rateLimited',
  refused: 'failure',
};

const exitsByStatus: Record<number, ExitName> = {
  400: 'usage',
  401: 'notSignedIn',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  413: 'usage',
  429: 'rateLimited',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

const exitOfStatus = (status: number): ExitName => exitsByStatus[status] ?? 'failure';

const apiFailure = (error: HoldfastError, placeOf: (field: string) => string): Failure => {
  const { status, message, details, requestId } = error;
  const entries = Object.entries(details?.fieldErrors ?? {});
  const fields = Object.fromEntries(
    entries.map(([name, mistakes]) => [placeOf(name), mistakes ?? []]),
  );
  const form = details?.formErrors ?? [];
  return {
    exit: exitOfStatus(status),
    message,
    fields: { ...fields, ...(form.length > 0 && { Input: form }) },
    hints: hintsFor(error),
    requestId,
  };
};

const hintsFor = (error: HoldfastError): string[] => {
  const { kind, requiredScope, yourScopes, nextPullAt, retryAfterMs } = error;
  if (kind === 'unauthorized') {
    return [
      'The key is wrong, revoked or expired.',
      'Sign in again: holdfast login. If HOLDFAST_API_KEY is set, set it to a new key.',
    ];
  }
  if (kind === 'missingScope') {
    return [`The key needs ${requiredScope}; it has ${yourScopes?.join(', ')}.`];
  }
  if (nextPullAt !== undefined) return [`Possible again ${relativeTime(nextPullAt)}.`];
  const isLimited = kind === 'rateLimited' && retryAfterMs !== undefined;
  return isLimited ? [`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`] : [];
};

/** Sentences for people. */
export const failureText = (failure: Failure, style: Style, columns: number): string => {
  const { message, fields, hints, requestId } = failure;
  const lines = [`${label(failure, style)} ${clean(message)}`];
  for (const [place, mistakes] of Object.entries(fields)) {
    for (const mistake of mistakes) lines.push(`  ${style.bold(clean(place))}  ${clean(mistake)}`);
  }
  for (const hint of hints) lines.push(clean(hint));
  if (requestId !== undefined && exitCodes[failure.exit].code === exitCodes.failure.code) {
    lines.push(style.dim(`request ${clean(requestId)}`));
  }
  return lines.map((line) => wrap(line, columns)).join('\n');
};

/** Differences are what was asked for; finding some is no mistake. */
const label = ({ exit }: Failure, style: Style): string =>
  exit === 'drift' ? style.yellow('drift:') : style.red('error:');

/** One line for programs. */
export const failureJson = ({ exit, message, fields, hints, requestId }: Failure): string =>
  JSON.stringify({
    [exit === 'drift' ? 'drift' : 'error']: message,
    code: exit,
    exitCode: exitCodes[exit].code,
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(hints.length > 0 && { hints }),
    ...(requestId !== undefined && { requestId }),
  });
