/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import type { Database, Transaction } from '../../db/connect.ts';
import type { HttpEnv } from '../../http/admission.ts';
import type { ClientAddress } from '../../http/client-address.ts';
import { addressOf, createAddressLimit } from '../../http/pages/address-limit.ts';
import { browserHash, newToken, readCookie, writeCookie } from '../../http/pages/cookies.ts';
import { sendPage } from '../../http/pages/page.tsx';
import { readForm } from '../../http/pages/read-form.ts';
import { newId } from '../../kernel/ids.ts';
import { sha256Hex } from '../../kernel/sha256.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { Platform } from '../../platform/port.ts';
import type { OAuthClient, PlatformOAuth } from '../../platform/port-oauth.ts';
import { holdMfaEnabled, storeSignedIn } from '../accounts/queries.ts';
import { browserWords } from './browser-words.ts';
import { sessionCookie } from './cookie.ts';
import {
  deleteSession,
  insertSession,
  insertSignIn,
  type Session,
  takeSignIn,
  useSession,
} from './queries.ts';
import { isForDashboard, safeNext, sessionLifeMs } from './rules.ts';
import { codePath } from './second-factor/code-page.tsx';

export type SignInTools = {
  db: Database;
  platform: Pick<Platform, 'imageUrl'>;
  oauth: PlatformOAuth;
  /** The application that people sign in through. */
  client: OAuthClient;
  baseUrl: string;
  clientAddress: ClientAddress;
};

const signInsPerMinute = 60;
const fallback = '/me';

/** Signing in with the platform, and out again. */
export const mountSignIn = (app: Hono<HttpEnv>, tools: SignInTools): void => {
  const mayBegin = createAddressLimit(signInsPerMinute);
  app.get('/login', async (context) => {
    if (!(await mayBegin(addressOf(context, tools)))) return sendTooMany(context);
    return beginSignIn(context, tools);
  });
  app.get('/login/callback', (context) => endSignIn(context, tools));
  app.post('/logout', async (context) => {
    await readForm(context, tools.baseUrl);
    const token = readCookie(context, sessionCookie);
    if (token) await deleteSession(tools.db, sha256Hex(token));
    forgetCookie(context);
    return sendSignedOut(context);
  });
};

/** The browser's part of a session that has ended. */
export const forgetCookie = (context: Context<HttpEnv>): void =>
  writeCookie(context, sessionCookie, '', 0);

/** Who is signed in, if anybody is. */
export const findSession = async (
  context: Context<HttpEnv>,
  db: Database,
): Promise<Session | undefined> => {
  const token = readCookie(context, sessionCookie);
  return token ? useSession(db, sha256Hex(token)) : undefined;
};

const callbackOf = (baseUrl: string): string => `${baseUrl}/login/callback`;

const beginSignIn = async (
  context: Context<HttpEnv>,
  { db, oauth, client, baseUrl }: SignInTools,
): Promise<Response> => {
  const { state, codeVerifier, codeChallenge } = await oauth.newAttempt();
  const next = safeNext(context.req.query('next'), fallback);
  await insertSignIn(db, {
    stateHash: sha256Hex(state),
    browserHash: browserHash(context),
    codeVerifier,
    next,
  });
  const { clientId } = client;
  const redirectUri = callbackOf(baseUrl);
  // For mails about money, which only owners get.
  const scopes = isForDashboard(next) ? ['identify', 'email'] : ['identify'];
  return context.redirect(
    oauth.authorizeUrl({ clientId, redirectUri, scopes, state, codeChallenge }),
    303,
  );
};

const endSignIn = async (context: Context<HttpEnv>, tools: SignInTools) => {
  const { db, oauth, client, baseUrl } = tools;
  const { state = '', code } = context.req.query();
  const signIn = await takeSignIn(db, sha256Hex(state), browserHash(context));
  if (!signIn || !code) return sendTryAgain(context);
  const { codeVerifier, next } = signIn;
  try {
    const redirectUri = callbackOf(baseUrl);
    const wish = { ...client, redirectUri, code, codeVerifier };
    const { accessToken } = await oauth.exchangeCode(wish);
    const user = await oauth.readCurrentUser(accessToken);
    const awaitsCode = await beginSession(context, tools, user, next);
    // The token has served and is kept nowhere. It is not revoked: to the platform that would end all
    // that the person agreed to with this application, which may be the bot of a server as well.
    const codePage = `${codePath}?next=${encodeURIComponent(next)}`;
    return context.redirect(awaitsCode ? codePage : next, 303);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return sendTryAgain(context);
  }
};

type Person = Awaited<ReturnType<PlatformOAuth['readCurrentUser']>>;

/** Whoever comes for the dashboard has an account from then on; a member who looks at `/me` has none. */
const needsCode = async (
  tx: Transaction,
  { platform }: SignInTools,
  { id: platformId, username, displayName, avatarHash, email }: Person,
  next: string,
): Promise<boolean> => {
  if (!isForDashboard(next)) return holdMfaEnabled(tx, platformId);
  const avatarUrl =
    avatarHash === null
      ? null
      : platform.imageUrl({ kind: 'userAvatar', userId: platformId, hash: avatarHash });
  const person = { platformId, username, displayName, avatarUrl, email };
  return (await storeSignedIn(tx, person)).mfaEnabled;
};

/**
 * A new one at every sign-in, never one that was there before. The account's row is locked from the look
 * at its second factor on: switching that on ends every session, and must not miss one that begins.
 */
const beginSession = async (
  context: Context<HttpEnv>,
  tools: SignInTools,
  user: Person,
  next: string,
): Promise<boolean> => {
  const before = readCookie(context, sessionCookie);
  const token = newToken();
  const { id: platformId, username, displayName, avatarHash } = user;
  const browser = browserWords(context.req.header('user-agent'));
  const awaitsCode = await tools.db.transaction(async (tx) => {
    const isCodeNeeded = await needsCode(tx, tools, user, next);
    if (before) await deleteSession(tx, sha256Hex(before));
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

const sendTryAgain = (context: Context<HttpEnv>) =>
  sendPage(
    context,
    { title: 'Not signed in', status: 400, tone: 'bad' },
    <>
      <h1>You are not signed in</h1>
      <p>
        The way back from the platform did not work: it took longer than ten minutes, was used
        before, or began in another browser.
      </p>
      <p>
        <a class="button" href="/login">
          Try again
        </a>
      </p>
    </>,
  );
