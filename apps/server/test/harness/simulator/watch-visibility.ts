import type { Channel, OnApplied } from '@holdfast/simulator';
import { isVisible } from '../../nemesis/guild/describe-guild.ts';
import type { SimulatedGuild } from './guild-state.ts';
import { channelPlaces } from './guild-summary.ts';

/** Checks after every change what a person without a role sees of a guild. */
export const watchVisibility = () => {
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
     * Channels that were visible although they, or the ones they copy, were hidden before the restore,
     * and a guild that was without channels.
     */
    findViolations(
      backup: SimulatedGuild,
      before: SimulatedGuild,
      after: SimulatedGuild,
    ): string[] {
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
