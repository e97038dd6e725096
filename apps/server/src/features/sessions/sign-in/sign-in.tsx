/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import {
  type AddressCounts,
  addressOf,
  createAddressLimit,
} from '../../../http/limits/address-limit.ts';
import type { ClientAddress } from '../../../http/limits/client-address.ts';
import { browserHash, readCookie, writeCookie } from '../../../http/pages/cookies.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { readForm } from '../../../http/pages/read-form.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { newId, newToken } from '../../../kernel/ids.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { OAuthClient, PlatformOAuth } from '../../../platform/oauth/port.ts';
import { whilePersonWaits } from '../../../platform/oauth/while-waiting.ts';
import type { Platform } from '../../../platform/port.ts';
import { holdMfaEnabled, storeSignedInAccount } from '../../accounts/queries.ts';
import { findOwnerSession } from '../dashboard/authenticate.ts';
import { deleteSession, insertSession, insertSignIn, redeemSignIn } from '../queries.ts';
import {
  botOfManagedGuilds,
  describeBrowser,
  isDashboardPath,
  managedGuildsPath,
  safeNextPath,
  sessionLifeMs,
} from '../rules.ts';
import { codePath } from '../second-factor/code-page.tsx';
import {
  type ManagedGuildsPage,
  managedGuildsScopes,
  showManagedGuilds,
  signInToAddServer,
} from './managed-guilds.tsx';
import { clearSessionCookie, sessionCookie } from './session-cookie.ts';

type SignInDependencies = AddressCounts & {
  db: Database;
  platform: Pick<Platform, 'imageUrl'>;
  oauth: PlatformOAuth;
  /** The application that people sign in through. */
  client: OAuthClient;
  baseUrl: string;
  clientAddress: ClientAddress;
  managedGuildsPage: ManagedGuildsPage;
};

const signInsPerMinute = 60;
const fallback = '/me';

/** Signing in with the platform, and out again. */
export const mountSignIn = (app: Hono<HttpEnv>, dependencies: SignInDependencies): void => {
  const isAllowed = createAddressLimit('sign-in', signInsPerMinute, dependencies);
  app.get('/login', async (context) => {
    if (!(await isAllowed(addressOf(context, dependencies)))) return sendTooMany(context);
    const next = safeNextPath(context.req.query('next'), fallback);
    // The address is for alerts and mails about money, which only owners of accounts get.
    const scopes = isDashboardPath(next) ? ['identify', 'email'] : ['identify'];
    return beginAuthorization(context, dependencies, { next, scopes });
  });
  app.get(managedGuildsPath, async (context) => {
    if (!(await isAllowed(addressOf(context, dependencies)))) return sendTooMany(context);
    const next = `${managedGuildsPath}?bot=${context.req.query('bot')}`;
    const botId = botOfManagedGuilds(next);
    const owner = await findOwnerSession(context, dependencies.db);
    if (!owner) return context.redirect(signInToAddServer, 303);
    const bot = botId && { accountId: owner.account.id, botId };
    if (!bot || !(await dependencies.managedGuildsPage.hasBot(bot))) return context.notFound();
    return beginAuthorization(context, dependencies, { next, scopes: managedGuildsScopes });
  });
  app.get('/login/callback', (context) => endSignIn(context, dependencies));
  app.post('/logout', async (context) => {
    await readForm(context, dependencies.baseUrl);
    const token = readCookie(context, sessionCookie);
    if (token) await deleteSession(dependencies.db, sha256Hex(token));
    clearSessionCookie(context);
    return sendSignedOut(context);
  });
};

const callbackOf = (baseUrl: string): string => `${baseUrl}/login/callback`;

const beginAuthorization = async (
  context: Context<HttpEnv>,
  { db, oauth, client, baseUrl }: SignInDependencies,
  { next, scopes }: { next: string; scopes: string[] },
): Promise<Response> => {
  const { state, codeVerifier, codeChallenge } = await oauth.newAttempt();
  await insertSignIn(db, {
    stateHash: sha256Hex(state),
    browserHash: browserHash(context),
    codeVerifier,
    next,
  });
  const { clientId } = client;
  const redirectUri = callbackOf(baseUrl);
  return context.redirect(
    oauth.authorizeUrl({ clientId, redirectUri, scopes, state, codeChallenge }),
    303,
  );
};

const endSignIn = async (context: Context<HttpEnv>, dependencies: SignInDependencies) => {
  const { db, oauth, client, baseUrl } = dependencies;
  const { state = '', code } = context.req.query();
  const signIn = await redeemSignIn(db, sha256Hex(state), browserHash(context));
  if (!signIn) {
    return (await findOwnerSession(context, db)) ? sendUsedUp(context) : sendTryAgain(context);
  }
  const { codeVerifier, next } = signIn;
  const redirectUri = callbackOf(baseUrl);
  const request = code ? { ...client, redirectUri, code, codeVerifier } : undefined;
  const botId = botOfManagedGuilds(next);
  if (botId) return showManagedGuilds(context, dependencies, botId, request);
  if (!request) return sendTryAgain(context);
  try {
    const person = await whilePersonWaits(async () => {
      const { accessToken } = await oauth.exchangeCode(request);
      return oauth.readCurrentUser(accessToken);
    });
    const awaitsCode = await beginSession(context, dependencies, person, next);
    // The token is not stored. It is not revoked either: the platform would end every authorization of
    // the person for this application, which may be the bot of a server as well.
    const codePage = `${codePath}?next=${encodeURIComponent(next)}`;
    return context.redirect(awaitsCode ? codePage : next, 303);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return sendTryAgain(context);
  }
};

type Person = Awaited<ReturnType<PlatformOAuth['readCurrentUser']>>;

/** A sign-in to the dashboard creates an account; one to `/me` does not. */
const requiresCode = async (
  tx: Transaction,
  { platform }: SignInDependencies,
  { id: platformId, username, displayName, avatarHash, email }: Person,
  next: string,
): Promise<boolean> => {
  if (!isDashboardPath(next)) return holdMfaEnabled(tx, platformId);
  const avatarUrl =
    avatarHash === null
      ? null
      : platform.imageUrl({ kind: 'userAvatar', userId: platformId, hash: avatarHash });
  const person = { platformId, username, displayName, avatarUrl, email };
  return (await storeSignedInAccount(tx, person)).mfaEnabled;
};

/**
 * Every sign-in creates a new session and deletes the browser's last one. The account's row is locked
 * while its second factor is read: enabling it ends every session and must not miss one that begins.
 */
const beginSession = async (
  context: Context<HttpEnv>,
  dependencies: SignInDependencies,
  person: Person,
  next: string,
): Promise<boolean> => {
  const previousToken = readCookie(context, sessionCookie);
  const token = newToken();
  const { id: platformId, username, displayName, avatarHash } = person;
  const browser = describeBrowser(context.req.header('user-agent'));
  const awaitsCode = await dependencies.db.transaction(async (tx) => {
    const isCodeNeeded = await requiresCode(tx, dependencies, person, next);
    if (previousToken) await deleteSession(tx, sha256Hex(previousToken));
    await insertSession(tx, {
      ...{ id: newId(), tokenHash: sha256Hex(token), platformId },
      ...{ username, displayName, avatarHash, browser, awaitsCode: isCodeNeeded },
    });
    return isCodeNeeded;
  });
  writeCookie(context, sessionCookie, token, sessionLifeMs / 1000);
  return awaitsCode;
};

const sendSignedOut = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'Signed out' },
    <>
      <h1>You are signed out</h1>
      <p>
        <a class="button" href="/login">
          Sign in again
        </a>
      </p>
      <p>
        <a class="button plain" href="/">
          Start page
        </a>
      </p>
    </>,
  );

const sendTooMany = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'Not signed in', status: 429, tone: 'bad' },
    <>
      <h1>Too many sign-ins</h1>
      <p>Somebody at your address tried very often. Wait a minute, then try again.</p>
    </>,
  );

/** For owners who are signed in and open the way back once more, by reloading it for instance. */
const sendUsedUp = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'Shown once', status: 400 },
    <>
      <h1>This page is shown once</h1>
      <p>What came from the platform is not stored. You are still signed in.</p>
      <p>
        <a class="button" href="/dashboard">
          Open the dashboard
        </a>
      </p>
    </>,
  );

const sendTryAgain = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'Not signed in', status: 400, tone: 'bad' },
    <>
      <h1>You are not signed in</h1>
      <p>
        The way back from the platform did not work: it took longer than ten minutes, was used
        before, or began in another browser, or the platform did not answer.
      </p>
      <p>
        <a class="button" href="/login">
          Try again
        </a>
      </p>
    </>,
  );
