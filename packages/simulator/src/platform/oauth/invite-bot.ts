import { ChannelType, newChannel } from '../channel/fields.ts';
import type { Guild } from '../guild/guild.ts';
import { newGuild, newMember } from '../guild/new-guild.ts';
import { addChannel, addMember } from '../guild/world.ts';
import type { IdentityStore } from '../identity/identities.ts';
import { joinBot } from '../member/join-bot.ts';
import type { Application, Platform, PlatformApp, PlatformContext } from '../platform.ts';
import { parseSnowflake } from '../snowflakes.ts';
import { sendRefusal } from './authorize-page.tsx';
import { requireApplication } from './authorize-request.ts';
import { type Fields, fieldsOf, limitForm, OAuthFailure, readForm } from './form.ts';
import { sendBotInvite, sendInvited } from './invite-page.tsx';
import { parseScopes } from './scopes.ts';

const path = '/oauth2/authorize';
const OFFERED_USERS = 6;
const OFFERED_GUILDS = 25;
/** Channels that the platform makes with every new guild. */
const FIRST_CHANNELS = [
  [ChannelType.Text, 'general'],
  [ChannelType.Voice, 'General'],
] as const;

type World = Platform & { identities: IdentityStore };
type Invite = {
  bot: Application;
  permissions: string;
  guildId: string | undefined;
  /** The link names the guild, and no other can be chosen. */
  isGuildFixed: boolean;
};

/**
 * The link that adds a bot to a guild. It has no redirect URI; requests with one go on to the page on which
 * people authorize an application.
 */
export const mountBotInvites = (app: PlatformApp, platform: World): void => {
  app.get(path, (c, next) =>
    isInvite(c) ? withInvite(c, platform, (invite) => showInvite(c, platform, invite)) : next(),
  );
  app.post(path, limitForm, (c, next) =>
    isInvite(c)
      ? withInvite(c, platform, async (invite) => decide(c, platform, invite, await readForm(c)))
      : next(),
  );
};

const isInvite = (c: PlatformContext): boolean =>
  c.req.query('redirect_uri') === undefined &&
  parseScopes(c.req.query('scope') ?? '')?.includes('bot') === true;

type Handle = (invite: Invite) => Response | Promise<Response>;

const withInvite = async (c: PlatformContext, { identities }: World, handle: Handle) => {
  try {
    const fields = fieldsOf(new URL(c.req.url).search);
    const permissions = fields.permissions ?? '0';
    if (!/^\d{1,20}$/.test(permissions)) {
      throw new OAuthFailure('invalid_request', 'The permissions of this link are not a number.');
    }
    const bot = requireApplication(identities, fields.client_id);
    const guildId = parseSnowflake(fields.guild_id ?? '');
    const isGuildFixed = guildId !== undefined && fields.disable_guild_select === 'true';
    return await handle({ bot, permissions, guildId, isGuildFixed });
  } catch (failure) {
    if (!(failure instanceof OAuthFailure)) throw failure;
    return sendRefusal(c, failure.description);
  }
};

const showInvite = (c: PlatformContext, platform: World, invite: Invite) => {
  const { bot, guildId, isGuildFixed } = invite;
  const users = platform.identities.listUsers(OFFERED_USERS);
  const owners = new Set(users.map(({ id }) => id));
  const guilds = [...platform.world.guilds.values()]
    .filter(({ settings }) => owners.has(settings.owner_id))
    .slice(-OFFERED_GUILDS)
    .map(({ id, settings }) => ({ id, name: settings.name }));
  const fixed = isGuildFixed && guildId ? platform.world.findGuild(guildId) : undefined;
  const fixedGuild = fixed && { id: fixed.id, name: fixed.settings.name };
  return sendBotInvite(c, { bot, guildId, fixedGuild, users, guilds });
};

const decide = (c: PlatformContext, platform: World, invite: Invite, form: Fields): Response => {
  if (form.decision !== 'authorize') return sendInvited(c, 'Nothing was changed.');
  const user = platform.identities.findUser(form.user ?? '');
  if (!user || user.isBot || user.isUnknown) {
    throw new OAuthFailure('invalid_request', 'There is no user with this id.');
  }
  const chosenId = form.guild_id?.trim() || form.guild;
  const typedId = invite.isGuildFixed ? invite.guildId : chosenId;
  const guild = typedId ? findGuild(platform, typedId) : makeGuild(platform, user.id);
  const { bot, permissions } = invite;
  if (!guild || guild.bans.has(bot.id)) {
    throw new OAuthFailure('invalid_request', 'The bot cannot be added to a server with this id.');
  }
  if (!guild.members.has(bot.id)) joinBot(platform, c, guild, bot, permissions);
  return sendInvited(c, `${bot.name} is in ${guild.settings.name} now.`);
};

const findGuild = ({ world }: Platform, typedId: string): Guild | undefined => {
  const id = parseSnowflake(typedId);
  return id === undefined ? undefined : world.findGuild(id);
};

/** As a person makes one with their client. No bot joins it by asking. */
const makeGuild = ({ world }: Platform, ownerId: string): Guild => {
  const guild = newGuild(world.nextId(), ownerId, {
    ...{ isMember: false, permissions: '0', rolePosition: null },
  });
  world.putGuild(guild);
  for (const [type, name] of FIRST_CHANNELS) {
    addChannel(world, guild, newChannel(world.nextId(), guild.id, type, name));
  }
  addMember(guild, newMember(ownerId, new Date().toISOString()));
  return guild;
};
