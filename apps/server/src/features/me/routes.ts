import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { HttpEnv } from '../../http/admission.ts';
import { readForm } from '../../http/pages/read-form.ts';
import { createTurns } from '../../http/turns.ts';
import type { Session } from '../sessions/queries.ts';
import { findSession, forgetCookie } from '../sessions/sign-in.tsx';
import type { ForgetTools } from '../vault/forget.ts';
import { erasePerson } from './erase.ts';
import { readHeld } from './held.ts';
import { sendErased, sendHeld, sendSignInFirst } from './page.tsx';
import { isConfirmed } from './rules.ts';
import { withdrawFrom } from './withdraw.ts';

export type MeTools = ForgetTools & { db: Database; baseUrl: string };

type Act = (context: Context<HttpEnv>, session: Session) => Response | Promise<Response>;

/** A person's own page: what is held about them, and what they can do about it. */
export const mountMe = (app: Hono<HttpEnv>, tools: MeTools): void => {
  const { db } = tools;
  // What backups hold is asked of every account: few such views of one person at a time.
  const inTurn = createTurns();
  const read = ({ platformId }: Session) => inTurn(platformId, () => readHeld(tools, platformId));
  const asThemselves =
    (act: Act) =>
    async (context: Context<HttpEnv>): Promise<Response> => {
      const session = await findSession(context, db);
      return session ? act(context, session) : sendSignInFirst(context);
    };

  app.get(
    '/me',
    asThemselves(async (context, session) => sendHeld(context, session, await read(session))),
  );
  app.get(
    '/me/export',
    asThemselves(async (context, session) => {
      context.header('Cache-Control', 'no-store');
      context.header('Content-Disposition', 'attachment; filename="holdfast-about-me.json"');
      const held = await read(session);
      return context.json({ exportedAt: new Date().toISOString(), ...held });
    }),
  );
  app.post(
    '/me/withdraw',
    asThemselves(async (context, { platformId }) => {
      const form = await readForm(context, tools.baseUrl);
      const serverId = z.guid().safeParse(form.serverId).data;
      if (serverId) await withdrawFrom(tools, { platformId, serverId });
      return context.redirect('/me', 303);
    }),
  );
  app.post(
    '/me/erase',
    asThemselves(async (context, session) => {
      const { confirmation } = await readForm(context, tools.baseUrl);
      if (isConfirmed(confirmation)) return erase(context, tools, session);
      return sendHeld(context, session, await read(session), { isUnconfirmed: true });
    }),
  );
};

const erase = async (
  context: Context<HttpEnv>,
  tools: MeTools,
  { platformId }: Session,
): Promise<Response> => {
  await erasePerson(tools, platformId);
  forgetCookie(context);
  return sendErased(context);
};
