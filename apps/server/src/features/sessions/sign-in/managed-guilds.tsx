/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { ManagedGuild, OAuthClient, PlatformOAuth } from '../../../platform/oauth/port.ts';
import { whilePersonWaits } from '../../../platform/oauth/while-waiting.ts';
import { findOwnerSession } from '../dashboard/authenticate.ts';
import { managedGuildsPath } from '../rules.ts';

/** The scopes of this authorization: who it is, so that it is the owner's own, and their guilds. */
export const managedGuildsScopes = ['identify', 'guilds'];

export type ManagedGuildsPage = {
  hasBot(bot: OwnedBot): Promise<boolean>;
  /** Those of the guilds that the bot is not in, each with the link that invites it there. */
  send(context: Context<HttpEnv>, bot: OwnedBot, guilds: ManagedGuild[]): Promise<Response>;
};

type OwnedBot = { accountId: string; botId: string };

type Dependencies = { db: Database; oauth: PlatformOAuth; managedGuildsPage: ManagedGuildsPage };

/** For those who are not signed in any more. */
export const signInToAddServer = '/login?next=/dashboard/servers/new';

type Grant = OAuthClient & { redirectUri: string; code: string; codeVerifier: string };

/**
 * Answers the way back from the platform with the list itself: token and guilds are looked at once, and
 * stored nowhere.
 */
export const showManagedGuilds = async (
  context: Context<HttpEnv>,
  dependencies: Dependencies,
  botId: string,
  grant: Grant | undefined,
): Promise<Response> => {
  const owner = await findOwnerSession(context, dependencies.db);
  if (!owner) return context.redirect(signInToAddServer, 303);
  const bot = { accountId: owner.account.id, botId };
  if (!grant) return sendNotShown(context, botId, reasons.declined);
  try {
    const { person, guilds } = await readGuilds(dependencies, grant);
    if (person.id !== owner.session.platformId)
      return sendNotShown(context, botId, reasons.another);
    if (!guilds) return sendNotShown(context, botId, reasons.declined);
    return await dependencies.managedGuildsPage.send(context, bot, guilds);
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return sendNotShown(context, botId, reasons.noAnswer);
  }
};

const readGuilds = ({ oauth }: Dependencies, grant: Grant) =>
  whilePersonWaits(async () => {
    const { accessToken, scopes } = await oauth.exchangeCode(grant);
    const person = await oauth.readCurrentUser(accessToken);
    const isGranted = scopes.includes('guilds');
    return { person, guilds: isGranted ? await oauth.readManagedGuilds(accessToken) : undefined };
  });

const reasons = {
  declined: 'You did not allow it. Everything else works without it.',
  another: 'You allowed it for another account than the one that you are signed in with here.',
  noAnswer: 'The platform did not answer.',
};

const sendNotShown = (context: Context<HttpEnv>, botId: string, reason: string) =>
  sendPage(
    context,
    { title: 'Your servers', status: 400, tone: 'bad' },
    <>
      <h1>Your servers cannot be shown</h1>
      <p>{reason}</p>
      <p>
        <a class="button" href={`${managedGuildsPath}?bot=${botId}`}>
          Try again
        </a>
      </p>
      <p>
        <a class="button plain" href="/dashboard/servers/new">
          Back to the dashboard
        </a>
      </p>
    </>,
  );
