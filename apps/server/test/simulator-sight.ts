import type { Channel, OnApplied } from '@holdfast/simulator';
import { isVisible } from './nemesis/describe-guild.ts';
import type { SimulatedGuild } from './simulator-guild.ts';
import { channelPlaces } from './simulator-likeness.ts';

/** Somebody without a role, who looks at a guild after every single change. */
export const createSight = () => {
  let guildId = '';
  let seenIds = new Set<string>();
  let wasEmpty = false;

  const onApplied: OnApplied = (_row, guild) => {
    if (guild.id !== guildId) return;
    wasEmpty ||= guild.channels.size === 0;
    const permissions = guild.roles.get(guildId)?.permissions ?? '0';
    for (const channel of guild.channels.values()) {
      if (seenIds.has(channel.id) || !isVisible(guildId, permissions, channel)) continue;
      seenIds.add(channel.id);
    }
  };

  return {
    onApplied,
    begin(watchedId: string) {
      guildId = watchedId;
      seenIds = new Set();
      wasEmpty = false;
    },
    /**
     * What should never have been: channels seen that were hidden before the restore or that are
     * copies of hidden ones, and a server without channels that had some.
     */
    findWrongs(backup: SimulatedGuild, before: SimulatedGuild, after: SimulatedGuild): string[] {
      const copies = channelPlaces(after);
      const hiddenCopies = [...channelPlaces(backup)].flatMap(([place, channel]) =>
        isHidden(backup, channel) ? (copies.get(place) ?? []) : [],
      );
      const hiddenBefore = before.channels.filter((channel) => isHidden(before, channel));
      const seen = [...hiddenBefore, ...hiddenCopies].filter(({ id }) => seenIds.has(id));
      return [
        ...seen.map(({ id, name }) => `the private channel ${name} (${id}) was seen`),
        ...(wasEmpty && before.channels.length > 0 ? ['no channel was left'] : []),
      ];
    },
  };
};

const isHidden = ({ guild, roles }: SimulatedGuild, channel: Channel): boolean => {
  const everyone = roles.find(({ id }) => id === guild.id);
  return !isVisible(guild.id, everyone?.permissions ?? '0', channel);
};
