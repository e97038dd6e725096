/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import { sendPage } from '../../pages/page.tsx';
import type { Application, PlatformUser } from '../platform.ts';
import { Badge, pageStyle, Users } from './authorize-page.tsx';

type InvitePage = {
  bot: Application;
  guildId: string | undefined;
  /** The only one, where the link allows no choice. */
  fixedGuild: { id: string; name: string } | undefined;
  users: PlatformUser[];
  /** Those that one of the users owns. */
  guilds: { id: string; name: string }[];
};

/** Unlike the real platform it also makes a server: there is no other place here to do so. */
export const sendBotInvite = (c: Context, page: InvitePage) => {
  const { bot, fixedGuild, users } = page;
  return sendPage(
    c,
    { ...pageStyle, title: `Add ${bot.name} to a server` },
    <>
      <header>
        <Badge id={bot.id} name={bot.name} shape="square" />
        <h1>
          Add <strong>{bot.name}</strong> to {fixedGuild ? fixedGuild.name : 'a server'}
        </h1>
      </header>
      <form method="post">
        {!fixedGuild && <GuildChoice {...page} />}
        <Users users={users} />
        <div class="actions">
          <button class="primary" type="submit" name="decision" value="authorize">
            Authorize
          </button>
          <button type="submit" name="decision" value="cancel" formnovalidate>
            Cancel
          </button>
        </div>
      </form>
    </>,
  );
};

const GuildChoice = ({ guilds, guildId }: Pick<InvitePage, 'guilds' | 'guildId'>) => (
  <>
    <div class="any-user">
      <label for="guild">Add to server</label>
      <select id="guild" name="guild">
        <option value="">A new server</option>
        {guilds.map(({ id, name }) => (
          <option value={id} selected={id === guildId}>
            {name}
          </option>
        ))}
      </select>
    </div>
    <div class="any-user">
      <label for="guild-id">Another server's id (optional)</label>
      <input
        id="guild-id"
        name="guild_id"
        inputmode="numeric"
        pattern="\s*[0-9]{1,20}\s*"
        title="A server id: up to 20 digits"
        autocomplete="off"
        placeholder="For example 198622483471925248"
        value={guildId}
      />
    </div>
  </>
);

export const sendInvited = (c: Context, message: string) =>
  sendPage(
    c,
    { ...pageStyle, title: message },
    <>
      <h1>{message}</h1>
      <p class="note">You can close this page.</p>
    </>,
  );
