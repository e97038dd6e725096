import { browserHash } from '../../../http/pages/cookies.ts';
import { newId } from '../../../kernel/ids.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { OAuthClient, PlatformUser, TokenPair } from '../../../platform/port-oauth.ts';
import { raiseAttempt } from '../attempts/queries.ts';
import { withBotClient } from '../bot-client.ts';
import { loadRuleset, meetRules } from '../check/ruleset.ts';
import { insertPassage, type StoredPassage } from '../passages/queries.ts';
import { sealIntoPassage } from '../passages/sealed.ts';
import { checkPath } from '../paths.ts';
import {
  type Authorization,
  claimAuthorization,
  type Door,
  findDoor,
  findServerOfState,
} from '../queries.ts';
import { sendNoDoor, sendStartAgain, type Trouble } from '../start-again.tsx';
import type { VerificationTools } from '../tools.ts';
import type { PageContext } from '../with-door.ts';

/** The third stop: back from the platform, with its word on who this is. */
export const endAuthorization = async (
  context: PageContext,
  tools: VerificationTools,
): Promise<Response> => {
  context.set('operation', 'verify.callback');
  const { state = '', code, error } = context.req.query();
  const stateHash = sha256Hex(state);
  const claimed = await claimAuthorization(tools.db, stateHash, browserHash(context));
  if (!claimed) {
    return sendStartAgain(context, 'lost', await findServerOfState(tools.db, stateHash));
  }
  const door = await findDoor(tools.db, claimed.serverId);
  if (!door) return sendNoDoor(context);
  if (error !== undefined || !code) return sendStartAgain(context, 'declined', door.id);
  const owner = { botId: claimed.botId, accountId: door.accountId };
  try {
    const isComplete = await withBotClient(tools, owner, (client) =>
      welcome(tools, { door, claimed, client, code }),
    );
    if (isComplete === undefined) return sendStartAgain(context, 'closed', door.id);
    if (!isComplete) return sendStartAgain(context, 'withheld', door.id);
    return context.redirect(checkPath(door.id), 303);
  } catch (failure) {
    if (!(failure instanceof PlatformFailure)) throw failure;
    tools.log.warn({ err: failure, serverId: door.id }, 'a sign-in failed at the platform');
    return sendStartAgain(context, troubleOf(failure), door.id);
  }
};

const troubleOf = ({ kind }: PlatformFailure): Trouble => {
  if (kind === 'clientRefused') return 'closed';
  return kind === 'grantRevoked' || kind === 'memberTokenInvalid' || kind === 'refused'
    ? 'refused'
    : 'silent';
};

type Arrival = { door: Door; claimed: Authorization; client: OAuthClient; code: string };

/** False where the person left out a scope that the server demands: nothing of them is kept then. */
const welcome = async (tools: VerificationTools, arrival: Arrival): Promise<boolean> => {
  const { door, claimed, client, code } = arrival;
  const { redirectUri, codeVerifier } = claimed;
  const pair = await tools.oauth.exchangeCode({ ...client, redirectUri, code, codeVerifier });
  // Nobody will use what they just agreed to: better given back than left lying.
  const giveBack = () =>
    tools.oauth.revoke({ ...client, token: pair.accessToken }).catch(ignoreUnlessBug);
  if (!holdsDemanded(claimed, pair)) {
    await giveBack();
    return false;
  }
  try {
    const user = await tools.oauth.readCurrentUser(pair.accessToken);
    const metRules = await lookAtGuilds(tools, door, claimed, pair);
    await storePassage(tools, { door, claimed, pair, user, metRules });
    return true;
  } catch (failure) {
    await giveBack();
    throw failure;
  }
};

const recoveryScope = 'guilds.join';

/** Recovery is the person's own choice, whatever they said before; everything else is demanded. */
const holdsDemanded = ({ scopes }: Authorization, granted: TokenPair): boolean =>
  scopes.every((scope) => scope === recoveryScope || granted.scopes.includes(scope));

const ignoreUnlessBug = (failure: unknown): void => {
  if (!(failure instanceof PlatformFailure)) throw failure;
};

type MetRules = StoredPassage['metRules'];

/** Looked at once, and only where a rule is about them. */
const lookAtGuilds = async (
  tools: VerificationTools,
  door: Door,
  { scopes }: Authorization,
  pair: TokenPair,
): Promise<MetRules> => {
  const unknown = { isUnknown: true, whitelist: false, firewall: false };
  if (!scopes.includes('guilds')) return unknown;
  try {
    const guildIds = await tools.oauth.readCurrentUserGuilds(pair.accessToken);
    return meetRules(await loadRuleset(tools, door), guildIds);
  } catch (failure) {
    // A token that the person took back meanwhile is their doing: it opens nothing.
    if (!(failure instanceof PlatformFailure) || troubleOf(failure) !== 'silent') throw failure;
    tools.log.warn({ err: failure, serverId: door.id }, 'a newcomer’s servers are not known');
    return unknown;
  }
};

type Known = Omit<Arrival, 'client' | 'code'> & {
  pair: TokenPair;
  user: PlatformUser;
  metRules: MetRules;
};

const storePassage = (
  { db, ring }: VerificationTools,
  { door, claimed, pair, user, metRules }: Known,
): Promise<void> =>
  db.transaction(async (tx) => {
    const { browserHash: browser, botId, attemptId, serverId } = claimed;
    const { id: platformId, username, displayName, avatarHash } = user;
    const owner = { id: newId(), accountId: door.accountId };
    const isOffered = claimed.scopes.includes(recoveryScope);
    const wantsRecovery = isOffered && pair.scopes.includes(recoveryScope);
    await insertPassage(tx, {
      ...owner,
      ...sealIntoPassage(ring, owner, pair),
      ...{ browserHash: browser, serverId, botId, attemptId, platformId, username, displayName },
      ...{ avatarHash, wantsRecovery, metRules },
    });
    await raiseAttempt(tx, { attemptId, serverId }, 'authorized');
  });
