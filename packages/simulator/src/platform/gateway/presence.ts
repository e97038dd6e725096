import type { Guild } from '../guild/guild.ts';
import { coversEvent } from './intents.ts';
import type { Presence } from './protocol.ts';
import { removeSession, sendEvent, sessionsIn } from './session.ts';
import type { GatewayState, Session } from './state.ts';

const OFFLINE: Presence = { status: 'offline', activities: [] };

/** What others see of a bot: its newest session's, and nothing of one that hides. */
export const presenceOf = ({ sessionsOfBot }: GatewayState, botId: string): Presence => {
  const newest = [...(sessionsOfBot.get(botId) ?? [])].at(-1);
  return newest && newest.presence.status !== 'invisible' ? newest.presence : OFFLINE;
};

export const presencesIn = (state: GatewayState, guild: Guild) => {
  const botIds = new Set([...sessionsIn(state, guild)].map(({ bot }) => bot.id));
  return [...botIds]
    .map((botId) => presentPresence(guild, botId, presenceOf(state, botId)))
    .filter(({ status }) => status !== 'offline');
};

const presentPresence = (guild: Guild, botId: string, { status, activities }: Presence) => ({
  user: { id: botId },
  guild_id: guild.id,
  status,
  activities: activities.map((activity, index) => ({ id: String(index), ...activity })),
  client_status: status === 'offline' ? {} : { web: status },
});

/** Tells those who share a guild with the bot; once per guild, as the platform does. */
export const tellPresence = (state: GatewayState, botId: string) => {
  const presence = presenceOf(state, botId);
  for (const guild of state.world.guilds.values()) {
    if (!guild.members.has(botId)) continue;
    let payload: string | undefined;
    for (const session of sessionsIn(state, guild)) {
      if (session.bot.id === botId || !coversEvent(session.intents, 'PRESENCE_UPDATE')) continue;
      payload ??= JSON.stringify(presentPresence(guild, botId, presence));
      sendEvent(state, session, 'PRESENCE_UPDATE', payload);
    }
  }
};

/** Nobody can take it up again. */
export const endSession = (state: GatewayState, session: Session) => {
  removeSession(state, session);
  tellPresence(state, session.bot.id);
};

export const describePresence = ({ presence }: Session) => ({
  status: presence.status,
  activities: presence.activities,
});
