/** @jsxImportSource hono/jsx */
import type { Context, Hono } from 'hono';
import type { HttpEnv } from '../../../http/admission.ts';
import { newToken, readCookie, writeCookie } from '../../../http/pages/cookies.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { readForm } from '../../../http/pages/read-form.ts';
import { sha256Hex } from '../../../kernel/sha256.ts';
import { findUserByPlatformId } from '../../accounts/queries.ts';
import { sessionCookie } from '../cookie.ts';
import { admitSession, findAwaitingSession } from '../queries.ts';
import { safeNext, sessionLifeMs } from '../rules.ts';
import { type CodeTools, checkCode } from './check-code.ts';

export const codePath = '/login/code';

/** The second half of signing in, for those who have a second factor. */
export const mountCodePage = (app: Hono<HttpEnv>, tools: CodeTools & { baseUrl: string }): void => {
  app.get(codePath, async (context) => {
    const next = safeNext(context.req.query('next'), '/dashboard');
    const awaiting = await findAwaiting(context, tools);
    return awaiting ? sendForm(context, next) : context.redirect(beginAgain(next), 303);
  });
  app.post(codePath, async (context) => {
    const { code = '', next: wanted } = await readForm(context, tools.baseUrl);
    const next = safeNext(wanted, '/dashboard');
    const awaiting = await findAwaiting(context, tools);
    if (!awaiting) return context.redirect(beginAgain(next), 303);
    const verdict = await checkCode(tools, awaiting.accountId, code.slice(0, 40));
    if (verdict.kind === 'locked') return sendForm(context, next, lockedWords(verdict.seconds));
    if (verdict.kind === 'wrong') return sendForm(context, next, wrongWords);
    return admit(context, tools, awaiting.sessionId, next);
  });
};

const beginAgain = (next: string): string => `/login?next=${encodeURIComponent(next)}`;

const findAwaiting = async (context: Context<HttpEnv>, { db }: CodeTools) => {
  const token = readCookie(context, sessionCookie);
  const session = token ? await findAwaitingSession(db, sha256Hex(token)) : undefined;
  const user = session && (await findUserByPlatformId(db, session.platformId));
  return user && { sessionId: session.id, accountId: user.id };
};

/** Under a new token: what was known before the code came is worth nothing after it. */
const admit = async (
  context: Context<HttpEnv>,
  { db }: CodeTools,
  sessionId: string,
  next: string,
): Promise<Response> => {
  const token = newToken();
  if (!(await admitSession(db, sessionId, sha256Hex(token)))) {
    return context.redirect(beginAgain(next), 303);
  }
  writeCookie(context, sessionCookie, token, sessionLifeMs / 1000);
  return context.redirect(next, 303);
};

const wrongWords = 'This code is wrong, or was used before. Wait for the next one and try again.';
const lockedWords = (seconds: number): string =>
  `Too many wrong codes. Try again in ${Math.ceil(seconds / 60)} minutes.`;

const sendForm = (context: Context<HttpEnv>, next: string, complaint?: string) =>
  sendPage(
    context,
    { title: 'Your code', status: complaint ? 403 : 200, ...(complaint && { tone: 'bad' }) },
    <>
      <h1>One more step</h1>
      {complaint && <p role="alert">{complaint}</p>}
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
