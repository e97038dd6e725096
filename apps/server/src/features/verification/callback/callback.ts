import { browserHash } from '../../../http/pages/cookies.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { newId } from '../../../kernel/ids.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { OAuthClient, PlatformUser, TokenPair } from '../../../platform/oauth/port.ts';
import { whilePersonWaits } from '../../../platform/oauth/while-waiting.ts';
import { loadRuleset, matchGuildRules } from '../check/ruleset.ts';
import {
  sendErrorPage,
  sendServerNotFound,
  type VerificationError,
} from '../pages/error-pages.tsx';
import {
  checkPath,
  type PageContext,
  type PageRequest,
  type VerificationDependencies,
} from '../pages/page-context.ts';
import { authorizeAttempt } from '../queries/attempts.ts';
import {
  type Authorization,
  claimAuthorization,
  findServerOfState,
} from '../queries/authorizations.ts';
import {
  insertPendingVerification,
  type PendingVerification,
} from '../queries/pending-verifications.ts';
import { findVerificationServer } from '../queries/servers.ts';
import { sealPendingTokens, withBotClient } from './pending-tokens.ts';

/** The platform sends the newcomer back, with a code to exchange for tokens, or with a refusal. */
export const endAuthorization = async (
  context: PageContext,
  dependencies: VerificationDependencies,
): Promise<Response> => {
  context.set('operation', 'verify.callback');
  const { db, log } = dependencies;
  const { state = '', code, error } = context.req.query();
  const stateHash = sha256Hex(state);
  const authorization = await claimAuthorization(db, stateHash, browserHash(context));
  if (!authorization) {
    return sendErrorPage(context, 'stateInvalid', await findServerOfState(db, stateHash));
  }
  const server = await findVerificationServer(db, authorization.serverId);
  if (!server) return sendServerNotFound(context);
  if (error !== undefined || !code) return sendErrorPage(context, 'declined', server.id);
  const owner = { botId: authorization.botId, accountId: server.accountId };
  try {
    const isStored = await withBotClient(dependencies, owner, (client) =>
      whilePersonWaits((signal) =>
        exchangeCode({ ...dependencies, server, authorization, signal }, client, code),
      ),
    );
    if (isStored === undefined) return sendErrorPage(context, 'botUnusable', server.id);
    if (!isStored) return sendErrorPage(context, 'scopeWithheld', server.id);
    return context.redirect(checkPath(server.id), 303);
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    log.warn({ err: failure, serverId: server.id }, 'a sign-in failed at the platform');
    return sendErrorPage(context, errorOf(failure), server.id);
  }
};

const errorOf = ({ kind }: PlatformFailure): VerificationError => {
  if (kind === 'clientRefused') return 'botUnusable';
  return kind === 'grantRevoked' || kind === 'memberTokenInvalid' || kind === 'refused'
    ? 'signInRefused'
    : 'platformUnreachable';
};

type Callback = Omit<PageRequest, 'context'> & {
  authorization: Authorization;
  /** Aborted when the newcomer has been told that the platform does not answer. */
  signal: AbortSignal;
};

/** False if the person removed a scope that the server requires: then nothing of them is stored. */
const exchangeCode = async (
  callback: Callback,
  client: OAuthClient,
  code: string,
): Promise<boolean> => {
  const { oauth, authorization } = callback;
  const { redirectUri, codeVerifier } = authorization;
  const pair = await oauth.exchangeCode({ ...client, redirectUri, code, codeVerifier });
  // The tokens will never be used, so they do not stay valid.
  const revoke = () => oauth.revoke({ ...client, token: pair.accessToken }).catch(ignoreUnlessBug);
  if (!hasRequiredScopes(authorization, pair)) {
    await revoke();
    return false;
  }
  try {
    const user = await oauth.readCurrentUser(pair.accessToken);
    const metRules = await readGuildRules(callback, pair);
    if (callback.signal.aborted) throw new PlatformFailure('aborted');
    await storePendingVerification(callback, { pair, user, metRules });
    return true;
  } catch (failure) {
    await revoke();
    throw failure;
  }
};

const recoveryScope = 'guilds.join';

/** Recovery is optional, whatever the person chose on our page; all other scopes are required. */
const hasRequiredScopes = ({ scopes }: Authorization, granted: TokenPair): boolean =>
  scopes.every((scope) => scope === recoveryScope || granted.scopes.includes(scope));

const ignoreUnlessBug = (failure: unknown): void => {
  if (!(failure instanceof PlatformFailure)) throw failure;
};

type MetRules = PendingVerification['metRules'];

/** The person's guilds are read once, and only if the server has a SERVER_ID rule. */
const readGuildRules = async (
  callback: Callback,
  { accessToken }: TokenPair,
): Promise<MetRules> => {
  const { oauth, log, server, authorization } = callback;
  const unknown = { isUnknown: true, whitelist: false, firewall: false };
  if (!authorization.scopes.includes('guilds')) return unknown;
  try {
    const guildIds = await oauth.readCurrentUserGuilds(accessToken);
    return matchGuildRules(await loadRuleset(callback), guildIds);
  } catch (failure) {
    // If the person revoked the token meanwhile, that must not get them around a rule.
    const isUnreachable =
      failure instanceof PlatformFailure && errorOf(failure) === 'platformUnreachable';
    if (!isUnreachable) throw failure;
    log.warn({ err: failure, serverId: server.id }, 'the guilds of a newcomer could not be read');
    return unknown;
  }
};

type SignedIn = { pair: TokenPair; user: PlatformUser; metRules: MetRules };

const storePendingVerification = (
  { db, ring, server, authorization }: Callback,
  { pair, user, metRules }: SignedIn,
): Promise<void> =>
  db.transaction(async (tx) => {
    const { browserHash: browser, botId, attemptId, serverId } = authorization;
    const { id: platformId, username, displayName, avatarHash } = user;
    const owner = { id: newId(), accountId: server.accountId };
    const isOffered = authorization.scopes.includes(recoveryScope);
    const wantsRecovery = isOffered && pair.scopes.includes(recoveryScope);
    await insertPendingVerification(tx, {
      ...owner,
      ...sealPendingTokens(ring, owner, pair),
      ...{ browserHash: browser, serverId, botId, attemptId, platformId, username, displayName },
      ...{ avatarHash, wantsRecovery, metRules },
    });
    await authorizeAttempt(tx, { attemptId, serverId }, platformId);
  });
