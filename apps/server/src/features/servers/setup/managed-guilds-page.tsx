/** @jsxImportSource hono/jsx */
import { Name, sendPage } from '../../../http/pages/page.tsx';
import type { Picture } from '../../../http/pages/placeholders.ts';
import type { ManagedGuild } from '../../../platform/oauth/port.ts';
import { findBotToSetUp } from '../../bots/queries.ts';
import { fullPermissions } from '../../bots/setup/needed-permissions.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import type { ManagedGuildsPage } from '../../sessions/sign-in/managed-guilds.tsx';
import { listOwnGuilds } from './own-guilds.ts';

type Dependencies = BotDependencies & { picture: Picture };

/** The guilds that an owner manages and the bot is not in yet, each with the link that invites it there. */
export const createManagedGuildsPage = (dependencies: Dependencies): ManagedGuildsPage => {
  const { db, platform } = dependencies;
  return {
    hasBot: async ({ botId, accountId }) =>
      (await findBotToSetUp(db, botId, accountId)) !== undefined,

    async send(context, bot, managed) {
      const found = await findBotToSetUp(db, bot.botId, bot.accountId);
      if (!found) return context.notFound();
      // Where the bot cannot be asked, all are shown: inviting it twice does no harm.
      const { guilds } = await listOwnGuilds(dependencies, bot);
      const known = new Set(guilds.map(({ platformId }) => platformId));
      const rows = managed
        .filter(({ id }) => !known.has(id))
        .sort((a, b) => a.name.localeCompare(b.name))
        .map((guild) => {
          const url = platform.botInviteUrl(found.clientId, fullPermissions, guild.id);
          return { ...guild, url };
        });
      return sendPage(context, { title: 'Servers that you manage' }, <Guilds rows={rows} />);
    },
  };
};

const Guilds = ({ rows }: { rows: (ManagedGuild & { url: string })[] }) => (
  <>
    <h1>Servers that you manage</h1>
    {rows.length === 0 ? (
      <p>Your bot is in every server that you manage.</p>
    ) : (
      <p>Your bot is not in these yet. Once you have invited it, the dashboard shows the server.</p>
    )}
    {rows.map(({ name, isOwner, url }) => (
      <section class="card">
        <h2>
          <Name>{name}</Name>
        </h2>
        <p class="quiet">{isOwner ? 'Yours' : 'You may manage it'}</p>
        <div class="actions">
          <a class="button" href={url} rel="noopener">
            Invite the bot there
          </a>
        </div>
      </section>
    ))}
    <p class="quiet">
      The link asks for Administrator; the dashboard has one with fewer permissions. This list was
      read once from the platform and is not stored.
    </p>
    <p>
      <a class="button plain" href="/dashboard/servers/new">
        Back to the dashboard
      </a>
    </p>
  </>
);
