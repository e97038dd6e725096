/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import type { HttpEnv } from '../../../http/context.ts';
import { readCookie, writeCookie } from '../../../http/pages/cookies.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { readForm } from '../../../http/pages/read-form.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { newToken } from '../../../kernel/ids.ts';
import { findAccountByPlatformId } from '../../accounts/queries.ts';
import { completeSession, findAwaitingSession } from '../queries.ts';
import { safeNextPath, sessionLifeMs } from '../rules.ts';
import { sessionCookie } from '../sign-in/session-cookie.ts';
import { type CodeDependencies, checkCode } from './check-code.ts';

export const codePath = '/login/code';

/** The second step of the sign-in, for accounts with a second factor. */
export const mountCodePage = (
  app: Hono<HttpEnv>,
  dependencies: CodeDependencies & { baseUrl: string },
): void => {
  app.get(codePath, async (context) => {
    const next = safeNextPath(context.req.query('next'), '/dashboard');
    const awaiting = await findAwaiting(context, dependencies);
    return awaiting ? sendForm(context, next) : context.redirect(signInAgainPath(next), 303);
  });
  app.post(codePath, async (context) => {
    const { code = '', next: requestedNext } = await readForm(context, dependencies.baseUrl);
    const next = safeNextPath(requestedNext, '/dashboard');
    const awaiting = await findAwaiting(context, dependencies);
    if (!awaiting) return context.redirect(signInAgainPath(next), 303);
    const verdict = await checkCode(dependencies, awaiting.accountId, code.slice(0, 40));
    if (verdict.kind === 'locked') return sendForm(context, next, lockedMessage(verdict.seconds));
    if (verdict.kind === 'wrong') return sendForm(context, next, wrongMessage);
    return completeSignIn(context, dependencies, awaiting.sessionId, next);
  });
};

const signInAgainPath = (next: string): string => `/login?next=${encodeURIComponent(next)}`;

const findAwaiting = async (context: Context<HttpEnv>, { db }: CodeDependencies) => {
  const token = readCookie(context, sessionCookie);
  const session = token ? await findAwaitingSession(db, sha256Hex(token)) : undefined;
  const account = session && (await findAccountByPlatformId(db, session.platformId));
  return account && { sessionId: session.id, accountId: account.id };
};

/** Under a new token: one that leaked before the code was entered is worthless. */
const completeSignIn = async (
  context: Context<HttpEnv>,
  { db }: CodeDependencies,
  sessionId: string,
  next: string,
): Promise<Response> => {
  const token = newToken();
  if (!(await completeSession(db, sessionId, sha256Hex(token)))) {
    return context.redirect(signInAgainPath(next), 303);
  }
  writeCookie(context, sessionCookie, token, sessionLifeMs / 1000);
  return context.redirect(next, 303);
};

const wrongMessage = 'This code is wrong, or was used before. Wait for the next one and try again.';
const lockedMessage = (seconds: number): string =>
  `Too many wrong codes. Try again in ${Math.ceil(seconds / 60)} minutes.`;

const sendForm = (context: Context<HttpEnv>, next: string, message?: string) =>
  sendPage(
    context,
    { title: 'Your code', status: message ? 403 : 200, ...(message && { tone: 'bad' }) },
    <>
      <h1>One more step</h1>
      {message && <p role="alert">{message}</p>}
      <p>Open your authenticator and type the six digits it shows for Holdfast.</p>
      <form method="post" action={codePath}>
        <input type="hidden" name="next" value={next} />
        <p>
          <label for="code">Code</label>
          <input
            id="code"
            name="code"
            type="text"
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength={40}
            required
            autofocus
          />
        </p>
        <button type="submit">Sign in</button>
      </form>
      <p class="quiet">Without it at hand, a recovery code does as well, once.</p>
    </>,
  );
