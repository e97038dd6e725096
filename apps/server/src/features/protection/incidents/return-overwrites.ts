import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { sameOverwrites } from '../../../platform/permissions.ts';

import { resolveRestoredIds } from '../../servers/restored-ids/resolve.ts';
import {
  type InJournal,
  listTurning,
  ownIn,
  setApart,
  setOverwrite,
  withAllowed,
} from '../contain/apart.ts';
import type { OverwriteTaken } from '../queries/returns.ts';

/** Gives somebody back what was taken of their overwrites; false where the platform refuses it. */
export type GiveOverwrites = (platformId: string) => Promise<boolean>;

/** Channels that are gone are left out; those that a restore made again count as what they were. */
export const prepareOverwrites = async (
  journal: InJournal,
  taken: readonly OverwriteTaken[],
): Promise<GiveOverwrites> => {
  if (taken.length === 0) return async () => true;
  const channels = await journal.guild.readChannels();
  const now = await resolveRestoredIds(journal.db, journal.owner.accountId, 'channels', {
    ids: [...new Set(taken.map(({ channelId }) => channelId))],
    liveIds: new Set(channels.map(({ id }) => id)),
    onlyCreated: true,
  });
  return async (platformId) => {
    const own = taken.filter(({ executorId }) => executorId === platformId);
    const bitsIn = (channelId: string) =>
      own
        .filter((one) => now[one.channelId] === channelId)
        .reduce((all, one) => all | BigInt(one.taken), 0n);
    return own.length === 0 || giveAll(journal, { platformId, bitsIn });
  };
};

type Gift = { platformId: string; bitsIn(channelId: string): bigint };

/**
 * Categories first: what shall not follow one is set apart before that, and looked at again after it. What
 * followed needs no call of its own, and everything else gets its own.
 */
const giveAll = async (journal: InJournal, { platformId, bitsIn }: Gift): Promise<boolean> => {
  const { guild } = journal;
  const wantedIn = ({ id, overwrites }: Channel) => withAllowed(overwrites, platformId, bitsIn(id));
  const give = async ({ id, overwrites }: Channel, wanted: Overwrite[]) => {
    const own = ownIn(wanted, platformId);
    const has = ownIn(overwrites, platformId);
    return sameOverwrites([has], [own]) || setOverwrite(guild, id, own);
  };
  const channels = await guild.readChannels();
  const gaining = channels.filter(
    (one) => one.kind === 'category' && !sameOverwrites(one.overwrites, wantedIn(one)),
  );
  const apart = listTurning(channels, { before: ({ overwrites }) => overwrites, after: wantedIn });
  let isWhole = true;
  for (const category of gaining) {
    let isSafe = true;
    for (const one of apart.filter(({ parentId }) => parentId === category.id)) {
      if (!(await setApart(journal, one))) isSafe = false;
    }
    if (!isSafe || !(await give(category, wantedIn(category)))) isWhole = false;
  }
  const before = new Map(apart.map((one) => [one.id, one]));
  const now = gaining.length > 0 ? await guild.readChannels() : channels;
  for (const channel of now.filter(({ kind }) => kind !== 'category')) {
    if (!(await give(channel, wantedIn(before.get(channel.id) ?? channel)))) isWhole = false;
  }
  return isWhole;
};
