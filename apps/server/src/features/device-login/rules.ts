import { endpoints, gravestScopes, hasScope, type KeyScope, scopes } from '@holdfast/contract';
import { normalizeText } from '../../kernel/normalize-text.ts';
import { tooManyKeys } from '../keys/rules.ts';

/**
 * An authorization is PENDING until an owner approves or denies it. Once APPROVED, the next poll of its
 * program makes the key and leaves it REDEEMED; SIGNED_OUT where the session that approved has ended since,
 * KEY_LIMIT where the account can have no further key. Each of these is final, and none lasts longer than ten
 * minutes.
 */
export type AuthorizationStatus =
  | 'PENDING'
  | 'APPROVED'
  | 'DENIED'
  | 'SIGNED_OUT'
  | 'KEY_LIMIT'
  | 'REDEEMED';

export const authorizationSeconds = 10 * 60;
/** How long the record stays after that, so that a late poll is told what happened. */
export const keptSeconds = 10 * 60;

export const pollSeconds = 5;
/** Added for each poll that comes too early (RFC 8628, 3.5). */
export const slowDownSeconds = 5;
export const longestPollSeconds = 60;

/** Consonants, so that no word comes out, and no digit that looks like one of them: 20^8 codes. */
const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;
const userCodePattern = new RegExp(`^[${userCodeAlphabet}]{${userCodeLength}}$`);

/** `randomBytes` gives that many random bytes; those that would favour some letters are drawn again. */
export const newUserCode = (randomBytes: (count: number) => Uint8Array): string => {
  const fairBytes = 256 - (256 % userCodeAlphabet.length);
  let code = '';
  while (code.length < userCodeLength) {
    for (const byte of randomBytes(userCodeLength)) {
      if (byte >= fairBytes || code.length === userCodeLength) continue;
      code += userCodeAlphabet[byte % userCodeAlphabet.length];
    }
  }
  return code;
};

/** The code that was meant, in whatever case, width and groups it was typed; undefined where it cannot be one. */
export const normalizeUserCode = (typed: string): string | undefined => {
  const code = normalizeText(typed, 'NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return userCodePattern.test(code) ? code : undefined;
};

export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

export const longestMachine = 64;

/** Line breaks, what turns the direction of text around, and what shows nothing (the blank of Braille too). */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** So many marks on one letter reach into the lines above and below it. */
const stackedMarks = /[\p{Mn}\p{Me}]{5}/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Anybody can send a name, and an owner decides by it: it has to look as what it is. Null where only blanks were
 * sent, undefined for a name that is refused.
 */
export const parseMachineName = (sent: string): string | null | undefined => {
  const name = sent.replace(/\p{Zs}+/gu, ' ').trim();
  if ([...sent].length > longestMachine || unseen.test(sent)) return undefined;
  if (name === '') return null;
  return visible.test(name) && !stackedMarks.test(name) ? name : undefined;
};

export const keyNameOf = (machine: string | null): string =>
  machine === null ? 'CLI' : `CLI on ${machine}`;

/** What a program asks for that does not say what it needs: every scope that some endpoint demands, but the gravest. */
const defaultScopes: readonly KeyScope[] = scopes.filter(
  (scope) =>
    Object.values(endpoints).some((endpoint) => endpoint.scope === scope) &&
    !gravestScopes.some((gravest) => gravest === scope),
);

const isKeyScope = (text: string): text is KeyScope =>
  text === '*' || scopes.some((scope) => scope === text);

/** The scopes of a request, without repetitions; or the first one that there is not. */
export const parseScopes = (text: string): { scopes: KeyScope[] } | { unknown: string } => {
  const named = text.split(' ').filter(Boolean);
  const unknown = named.find((scope) => !isKeyScope(scope));
  if (unknown !== undefined) return { unknown };
  const known = [...new Set(named.filter(isKeyScope))];
  return { scopes: known.length > 0 ? known : [...defaultScopes] };
};

/** The first scope that was granted without having been asked for. */
export const findBeyond = (asked: readonly KeyScope[], granted: readonly KeyScope[]) =>
  granted.find((scope) => !hasScope(asked, scope));

type Polled = { status: AuthorizationStatus; isExpired: boolean; isTooSoon: boolean };

export type PollRefusal = { error: string; description: string };

/** The answer to a poll, as RFC 8628 names it; undefined where the key is to be made. */
export const refusePoll = ({ status, isExpired, isTooSoon }: Polled): PollRefusal | undefined => {
  if (status === 'REDEEMED') {
    return refusal('invalid_grant', 'This device code was used already: begin again');
  }
  if (status === 'DENIED') return refusal('access_denied', 'It was denied in the dashboard');
  if (status === 'SIGNED_OUT') {
    return refusal('access_denied', 'Who approved it has signed out since: begin again');
  }
  if (status === 'KEY_LIMIT') return refusal('access_denied', tooManyKeys);
  if (isExpired) return refusal('expired_token', 'The code has expired: begin again');
  if (status === 'APPROVED') return undefined;
  return isTooSoon
    ? refusal('slow_down', `Wait ${slowDownSeconds} seconds longer between two requests`)
    : refusal('authorization_pending', 'Nobody has decided yet');
};

const refusal = (error: string, description: string): PollRefusal => ({ error, description });
