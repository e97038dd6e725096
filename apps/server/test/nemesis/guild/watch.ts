import type { Channel, OnApplied } from '@holdfast/simulator';
import { identityOf, isVisible } from './describe-guild.ts';
import type { GuildState } from './guild.ts';

export type Watch = {
  onApplied: OnApplied;
  /** From now on the guild is checked as one that is restored from `wreck` to `backup`. */
  begin(backup: GuildState, wreck: GuildState): void;
  violations(): string[];
};

/** Checks a guild after every change: no private channel is visible, and some channel exists. */
export const watchGuild = (): Watch => {
  let found = new Set<string>();
  let hiddenIds = new Set<string>();
  let oldIds = new Set<string>();
  let hiddenIdentities = new Set<string>();

  const mustBeHidden = (channel: Channel): boolean =>
    oldIds.has(channel.id) ? hiddenIds.has(channel.id) : hiddenIdentities.has(identityOf(channel));

  return {
    begin(backup, wreck) {
      found = new Set();
      hiddenIds = new Set(hiddenIn(wreck).map(({ id }) => id));
      oldIds = new Set(wreck.channels.map(({ id }) => id));
      hiddenIdentities = new Set(hiddenIn(backup).map(identityOf));
    },
    onApplied(row, guild) {
      const after = `after ${row.method} ${row.path}`;
      if (guild.channels.size === 0) found.add(`no channel was left ${after}`);
      const permissions = guild.roles.get(guild.id)?.permissions ?? '0';
      for (const channel of guild.channels.values()) {
        if (mustBeHidden(channel) && isVisible(guild.id, permissions, channel)) {
          found.add(`private ${identityOf(channel)} was open ${after}`);
        }
      }
    },
    violations: () => [...found],
  };
};

const hiddenIn = ({ guild, roles, channels }: GuildState): Channel[] => {
  const permissions = roles.find(({ id }) => id === guild.id)?.permissions ?? '0';
  return channels.filter((channel) => !isVisible(guild.id, permissions, channel));
};
