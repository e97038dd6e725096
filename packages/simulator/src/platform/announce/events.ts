import { presentEvent, presentSound } from '../community/present.ts';
import type { Guild, Role } from '../guild/guild.ts';
import { presentIntegration } from '../guild/integration.ts';
import { Permission } from '../guild/permissions.ts';
import { presentExpressions, presentGuild, presentMember, presentUser } from '../guild/present.ts';
import { presentInvite } from '../invite/present.ts';
import type { GuildEvent, Platform } from '../platform.ts';
import { presentThread } from '../thread/present.ts';
import { messageEvents } from './message-events.ts';
import { inPlace, ofThread, withPermission } from './visibility.ts';
import type { Difference, DifferenceOf, Part } from './watch.ts';

type Announced = { platform: Platform; guild: Guild; origin: string };

type EventsOf<P extends Part> = (context: Announced, difference: DifferenceOf<P>) => GuildEvent[];

/** The platform's own events of a difference. */
export const eventsOf = (context: Announced, difference: Difference): GuildEvent[] => {
  // The table pairs each part with the function for it, which the type cannot follow.
  const tell = EVENTS[difference.part] as (
    context: Announced,
    difference: Difference,
  ) => GuildEvent[];
  return tell(context, difference);
};

const event = (
  name: GuildEvent['name'],
  data: unknown,
  more: Pick<GuildEvent, 'shapeFor' | 'once' | 'alwaysTo'> = {},
): GuildEvent => ({ name, data: () => data, ...more });

/** CREATE, UPDATE or DELETE. */
const suffixOf = ({ before, after }: Difference) => {
  if (!before) return 'CREATE';
  return after ? 'UPDATE' : 'DELETE';
};

const roleEvents: EventsOf<'roles'> = (context, difference) => {
  const { id, before, after } = difference;
  const guild_id = context.guild.id;
  const own = after
    ? event(`GUILD_ROLE_${suffixOf(difference)}`, { guild_id, role: after })
    : event('GUILD_ROLE_DELETE', { guild_id, role_id: id });
  const isMoved = before && after;
  return isMoved ? [own] : [own, ...integrationEvents(context, before, after)];
};

/** An installed bot is known by its role, and comes and goes with it. */
const integrationEvents = (
  { platform, guild }: Announced,
  before: Role | undefined,
  after: Role | undefined,
): GuildEvent[] => {
  const role = after ?? before;
  if (!role?.tags?.bot_id) return [];
  const { id, ...fields } = presentIntegration(platform.identities, role);
  const guild_id = guild.id;
  const own = after
    ? event('INTEGRATION_CREATE', { id, ...fields, guild_id })
    : event('INTEGRATION_DELETE', { id, guild_id, application_id: role.tags.bot_id });
  return [own, event('GUILD_INTEGRATIONS_UPDATE', { guild_id }, { once: 'integrations' })];
};

const threadEvents: EventsOf<'threads'> = ({ guild }, difference) => {
  const { before, after } = difference;
  const thread = after ?? before;
  if (!thread) return [];
  const more = { shapeFor: ofThread(thread) };
  const { id, guild_id, parent_id, type } = thread;
  if (!after) return [event('THREAD_DELETE', { id, guild_id, parent_id, type }, more)];
  const shown = presentThread(guild, after);
  if (!before) return [event('THREAD_CREATE', { ...shown, newly_created: true }, more)];
  const [was, is] = [before.members, after.members].map((members) => JSON.stringify(members));
  const isSame =
    JSON.stringify({ ...before, members: [] }) === JSON.stringify({ ...after, members: [] });
  const goneIds = before.members
    .map(({ user_id }) => user_id)
    .filter((userId) => !after.members.some(({ user_id }) => user_id === userId));
  const added_members = after.members
    .filter(({ user_id }) => !before.members.some((one) => one.user_id === user_id))
    .map((member) => ({ id, ...member }));
  const members = {
    ...{ id, guild_id, member_count: shown.member_count },
    ...{ added_members, removed_member_ids: goneIds },
  };
  return [
    ...(isSame ? [] : [event('THREAD_UPDATE', shown, more)]),
    ...(was === is ? [] : [event('THREAD_MEMBERS_UPDATE', members, more)]),
  ];
};

const memberEvents: EventsOf<'members'> = ({ platform, guild }, { id, before, after }) => {
  const guild_id = guild.id;
  const { identities } = platform;
  if (!after) {
    return [event('GUILD_MEMBER_REMOVE', { guild_id, user: presentUser(identities, id) })];
  }
  const data = { guild_id, ...presentMember(identities, after) };
  // Of itself a bot is told without the intent.
  if (before) return [event('GUILD_MEMBER_UPDATE', data, { alwaysTo: id })];
  return [event('GUILD_MEMBER_ADD', data)];
};

const inviteEvents: EventsOf<'invites'> = ({ platform, guild }, { before, after }) => {
  const invite = after ?? before;
  if (!invite || (before && after)) return [];
  const { code, channel_id } = invite;
  const more = { shapeFor: inPlace(channel_id, Permission.ManageChannels) };
  if (!after) return [event('INVITE_DELETE', { channel_id, guild_id: guild.id, code }, more)];
  const { guild: _, channel, ...fields } = presentInvite(platform.identities, guild, after);
  const data = { ...fields, channel_id: channel.id, guild_id: guild.id, uses: 0 };
  return [event('INVITE_CREATE', data, more)];
};

const soundEvents: EventsOf<'soundboard'> = ({ platform, guild }, difference) => {
  const { id, after } = difference;
  if (!after) {
    return [event('GUILD_SOUNDBOARD_SOUND_DELETE', { sound_id: id, guild_id: guild.id })];
  }
  const name = `GUILD_SOUNDBOARD_SOUND_${suffixOf(difference)}` as const;
  return [event(name, presentSound(platform.identities, after))];
};

const EVENTS: { [P in Part]: EventsOf<P> } = {
  settings: ({ platform, guild }) => [
    event('GUILD_UPDATE', presentGuild(platform.identities, guild)),
  ],
  roles: roleEvents,
  channels: (_, difference) => [
    event(`CHANNEL_${suffixOf(difference)}`, difference.after ?? difference.before),
  ],
  threads: threadEvents,
  emojis: ({ platform, guild }) => {
    const { emojis } = presentExpressions(platform.identities, guild);
    return [event('GUILD_EMOJIS_UPDATE', { guild_id: guild.id, emojis }, { once: 'emojis' })];
  },
  stickers: ({ platform, guild }) => {
    const { stickers } = presentExpressions(platform.identities, guild);
    return [event('GUILD_STICKERS_UPDATE', { guild_id: guild.id, stickers }, { once: 'stickers' })];
  },
  bans: ({ platform, guild }, { id, after }) => {
    const data = { guild_id: guild.id, user: presentUser(platform.identities, id) };
    const shapeFor = withPermission(Permission.BanMembers);
    return [event(after ? 'GUILD_BAN_ADD' : 'GUILD_BAN_REMOVE', data, { shapeFor })];
  },
  members: memberEvents,
  messages: messageEvents,
  invites: inviteEvents,
  webhooks: ({ guild }, { before, after }) =>
    [...new Set([before?.channel_id, after?.channel_id])].flatMap((channel_id) =>
      channel_id === undefined
        ? []
        : [
            event(
              'WEBHOOKS_UPDATE',
              { guild_id: guild.id, channel_id },
              { once: `webhooks ${channel_id}` },
            ),
          ],
    ),
  automod: (_, difference) => [
    event(`AUTO_MODERATION_RULE_${suffixOf(difference)}`, difference.after ?? difference.before, {
      shapeFor: withPermission(Permission.ManageGuild),
    }),
  ],
  // The platform has no event for these; their entries in the audit log tell of them.
  onboarding: () => [],
  welcomeScreen: () => [],
  events: ({ platform }, difference) => {
    const one = difference.after ?? difference.before;
    if (!one) return [];
    const data = presentEvent(platform.identities, one);
    return [event(`GUILD_SCHEDULED_EVENT_${suffixOf(difference)}`, data)];
  },
  soundboard: soundEvents,
};
