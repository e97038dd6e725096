import type { GuildEvent } from '../../../platform/gateway/events.ts';
import { botPermissionsIn, dangerous } from '../../../platform/permissions.ts';
import type { CurrentMember } from '../../../platform/port.ts';
import { type PowerRole, planStop } from '../contain/plan-stop.ts';
import type { SeenGuild, StopTarget } from '../contain/stop-call.ts';

type Holder = Pick<CurrentMember, 'userId' | 'username' | 'isBot' | 'roleIds'>;
type Facts = { ownerId: string; botUserId: string; roles: ReadonlyMap<string, PowerRole> };

/** However many of a guild's members have power, so many are remembered. */
const mostHolders = 500;

/**
 * Who has power in a guild, read once and kept true by its events: how somebody would be stopped is known
 * before they do anything. Only for a bot that hears of members. Who is not in it is not known, whatever
 * they have.
 */
export const createPowerRoster = (guildId: string) => {
  let facts: Facts | undefined;
  let holders = new Map<string, Holder>();
  /** What happens while the guild is read, which is newer than what is read. */
  let meanwhile: GuildEvent[] | undefined;

  const hasPower = ({ roles }: Facts, { roleIds }: Pick<Holder, 'roleIds'>): boolean =>
    roleIds.some((id) => (BigInt(roles.get(id)?.permissions ?? 0) & dangerous) !== 0n);
  const note = (known: Facts, holder: Holder) => {
    const isNew = !holders.has(holder.userId);
    const isBot = holder.userId === known.botUserId;
    if (isNew && !isBot && (holders.size >= mostHolders || !hasPower(known, holder))) return;
    holders.set(holder.userId, holder);
  };
  const withRoles = (known: Facts, change: (roles: Map<string, PowerRole>) => void) => {
    const roles = new Map(known.roles);
    change(roles);
    facts = { ...known, roles };
  };
  const apply = (known: Facts, event: GuildEvent) => {
    switch (event.kind) {
      case 'memberJoined':
      case 'memberChanged': {
        const username = event.username ?? holders.get(event.userId)?.username ?? '';
        return note(known, { ...event, username });
      }
      case 'memberLeft':
        return void holders.delete(event.userId);
      case 'roleCreated':
      case 'roleChanged':
        return withRoles(known, (roles) => roles.set(event.role.id, event.role));
      case 'roleDeleted':
        for (const [id, holder] of holders) {
          const roleIds = holder.roleIds.filter((one) => one !== event.roleId);
          holders.set(id, { ...holder, roleIds });
        }
        return withRoles(known, (roles) => roles.delete(event.roleId));
      case 'guildChanged':
        facts = { ...known, ownerId: event.ownerId };
    }
  };
  const forget = () => {
    facts = undefined;
    meanwhile = undefined;
    holders = new Map();
  };

  return {
    forget,
    learn(event: GuildEvent): void {
      if (meanwhile) meanwhile.push(event);
      else if (facts) apply(facts, event);
    },
    /** What was known before counts no more. A later call takes over. */
    async fill(
      read: () => Promise<{ seen: SeenGuild; members: readonly Holder[] }>,
    ): Promise<void> {
      forget();
      const events: GuildEvent[] = [];
      meanwhile = events;
      try {
        const { seen, members } = await read();
        if (meanwhile !== events) return;
        const roles = new Map(seen.guild.roles.map((role) => [role.id, role]));
        const known = { ownerId: seen.guild.ownerId, botUserId: seen.bot.userId, roles };
        note(known, { ...seen.bot, username: '', isBot: true });
        for (const member of members) note(known, member);
        facts = known;
        meanwhile = undefined;
        for (const event of events) apply(facts, event);
      } finally {
        if (meanwhile === events) meanwhile = undefined;
      }
    },
    /** How somebody would be stopped now; undefined where that is not known. */
    find(platformId: string): StopTarget | undefined {
      const holder = holders.get(platformId);
      const bot = facts && holders.get(facts.botUserId);
      if (!facts || !holder || !bot) return undefined;
      const guild = { guildId, ownerId: facts.ownerId, roles: [...facts.roles.values()] };
      const plan = planStop(holder, { guild, bot: botPermissionsIn(bot, guild) });
      return { platformId, username: holder.username, isBot: holder.isBot, plan };
    },
  };
};
