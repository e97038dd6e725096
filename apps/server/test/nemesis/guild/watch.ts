import type { Channel, OnApplied } from '@holdfast/simulator';
import { identityOf, isVisible } from './describe-guild.ts';
import type { GuildState } from './guild.ts';

export type Watch = {
  onApplied: OnApplied;
  /**
   * From now on the guild is checked as one that is restored from `wreck` to `backup`. A channel that is
   * repaired may become visible where the backup shows it.
   */
  begin(backup: GuildState, wreck: GuildState, how?: { isRepaired: boolean }): void;
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
    begin(backup, wreck, { isRepaired } = { isRepaired: false }) {
      found = new Set();
      const hidden = new Set(hiddenIn(backup).map(({ id }) => id));
      const isShown = ({ id }: Channel) =>
        isRepaired && !hidden.has(id) && backup.channels.some((channel) => channel.id === id);
      hiddenIds = new Set(
        hiddenIn(wreck)
          .filter((channel) => !isShown(channel))
          .map(({ id }) => id),
      );
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
