import { presentEvent } from '../community/present.ts';
import type { Guild } from '../guild/guild.ts';
import { canSeeThread, computeChannelPermissions } from '../guild/permissions.ts';
import { presentGuild, presentMember } from '../guild/present.ts';
import { presentThread } from '../thread/present.ts';
import { coversEvent, Intent } from './intents.ts';
import { presencesIn } from './presence.ts';
import { sendEvent } from './session.ts';
import type { GatewayState, Session } from './state.ts';

/** The platform tells members and presences only of guilds up to this size. */
const MAX_TOLD_MEMBERS = 75_000;

/** Made when it is sent, also when it is replayed: thousands of sessions need not keep it. */
export const sendGuild = (state: GatewayState, session: Session, guild: Guild) => {
  if (!coversEvent(session.intents, 'GUILD_CREATE')) return;
  const payload = () => JSON.stringify(presentGuildState(state, guild, session));
  sendEvent(state, session, 'GUILD_CREATE', payload);
};

/** A guild as a session is told of it: whole, as the bot sees it. */
const presentGuildState = (state: GatewayState, guild: Guild, session: Session) => {
  const { identities } = state;
  const self = guild.members.get(session.bot.id);
  // It was left between the event and its replay.
  if (!self) return { id: guild.id, unavailable: true };
  const tellsAll = (session.intents & Intent.Presences) !== 0;
  const isTold = tellsAll && guild.members.size <= MAX_TOLD_MEMBERS;
  const members = isTold ? [...guild.members.values()] : [self];
  return {
    ...presentGuild(identities, guild),
    joined_at: self.joined_at,
    large: guild.members.size > session.largeThreshold,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: members.map((member) => presentMember(identities, member)),
    channels: [...guild.channels.values()],
    threads: visibleThreads(guild, session.bot.id),
    presences: isTold ? presencesIn(state, guild) : [],
    stage_instances: [],
    guild_scheduled_events: [...guild.events.values()].map((event) =>
      presentEvent(identities, event),
    ),
    soundboard_sounds: [...guild.soundboard.values()].map(({ user_id: _, ...sound }) => sound),
  };
};

const visibleThreads = (guild: Guild, botId: string) => {
  const self = guild.members.get(botId);
  if (!self) return [];
  return [...guild.threads.values()]
    .filter((thread) => {
      const channel = guild.channels.get(thread.parent_id);
      if (!channel || thread.thread_metadata.archived) return false;
      return canSeeThread(thread, self, computeChannelPermissions(guild, self, channel));
    })
    .map((thread) => presentThread(guild, thread, botId));
};
