import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { HttpEnv } from '../../http/context.ts';
import { createAccountSemaphore } from '../../http/limits/account-concurrency.ts';
import { readForm } from '../../http/pages/read-form.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Platform } from '../../platform/port.ts';
import type { Session } from '../sessions/queries.ts';
import { clearSessionCookie, findSession } from '../sessions/sign-in/session-cookie.ts';
import type { DeleteTokensDependencies } from '../vault/tokens/delete.ts';
import { withdrawFromServer } from './consent/withdraw.ts';
import { erasePerson } from './erase/erase-person.ts';
import { sendErased, sendPersonalData, sendSignInPage } from './page/me-page.tsx';
import { readPersonalData } from './page/personal-data.ts';
import { isConfirmed } from './rules.ts';
import { wordsOf } from './texts/me-texts.ts';

export type MeDependencies = DeleteTokensDependencies & {
  db: Database;
  platform: Pick<Platform, 'inviteUrl'>;
  clock: Clock;
  baseUrl: string;
};

type PersonalHandler = (
  context: Context<HttpEnv>,
  session: Session,
) => Response | Promise<Response>;

/** A person's own page: what is stored about them, and what they can do about it. */
export const mountMe = (app: Hono<HttpEnv>, dependencies: MeDependencies): void => {
  const { db, clock, baseUrl } = dependencies;
  // Reading what backups hold visits every account, so each person does few of them at a time.
  const limitReads = createAccountSemaphore();
  const read = ({ platformId }: Session) =>
    limitReads(platformId, () => readPersonalData(dependencies, platformId));
  const signedIn =
    (handle: PersonalHandler) =>
    async (context: Context<HttpEnv>): Promise<Response> => {
      const session = await findSession(context, db);
      return session ? handle(context, session) : sendSignInPage(context);
    };

  app.get(
    '/me',
    signedIn(async (context, session) => sendPersonalData(context, session, await read(session))),
  );
  app.get(
    '/me/export',
    signedIn(async (context, session) => {
      context.header('Cache-Control', 'no-store');
      context.header('Content-Disposition', 'attachment; filename="holdfast-about-me.json"');
      const personalData = await read(session);
      return context.json({ exportedAt: clock.now().toISOString(), ...personalData });
    }),
  );
  app.post(
    '/me/withdraw',
    signedIn(async (context, { platformId }) => {
      const form = await readForm(context, baseUrl);
      const serverId = z.guid().safeParse(form.serverId).data;
      if (serverId) await withdrawFromServer(dependencies, { platformId, serverId });
      return context.redirect('/me', 303);
    }),
  );
  app.post(
    '/me/erase',
    signedIn(async (context, session) => {
      const { confirmation } = await readForm(context, baseUrl);
      const { texts, language } = wordsOf(context);
      if (!isConfirmed(confirmation, { word: texts.erase.word, language })) {
        return sendPersonalData(context, session, await read(session), { isUnconfirmed: true });
      }
      await erasePerson(dependencies, session.platformId);
      clearSessionCookie(context);
      return sendErased(context);
    }),
  );
};
