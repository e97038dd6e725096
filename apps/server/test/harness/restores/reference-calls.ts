import { isDeepStrictEqual } from 'node:util';
import type { Channel, Role } from '../../../src/platform/guild.ts';
import type { TestGuild } from '../guilds/arbitrary-guild.ts';

/**
 * The least number of calls that repair a server, counted thing by thing from the backup and the
 * server alone. Ids are those of the backup: nothing is matched by its name. A set of permissions that
 * both loses and gains is taken away early and given late, since channels change in between. What is done
 * because channels may follow their category is taken from the plan: `closesFirst` are the categories that
 * close before they open.
 */
export const countCalls = (
  backup: TestGuild,
  target: TestGuild,
  { closesFirst, kept }: { closesFirst: ReadonlySet<string>; kept: number },
): Record<string, number> => ({
  kept,
  roles: countRoles(backup, target),
  roleOrder: needsRoleOrder(backup, target) ? 1 : 0,
  channels: countChannels(backup, target, closesFirst),
  channelOrder: needsChannelOrder(backup, target) ? 1 : 0,
  hiding: countExposed(backup, target),
  members: countMembers(backup, target),
  emojis: countPictures(backup.emojis, target.emojis, ['name', 'roleIds']),
  stickers: countPictures(backup.stickers, target.stickers, ['name', 'description', 'tags']),
  bans: backup.bans.filter(({ userId }) => !target.bans.some((ban) => ban.userId === userId))
    .length,
  settings: isDeepStrictEqual(backup.settings, target.settings) ? 0 : 1,
});

const administrator = 1n << 3n;
const view = 1n << 10n;

const find = <Thing extends { id: string }>(things: Thing[], id: string) =>
  things.find((thing) => thing.id === id);

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

const everyoneOf = ({ roles, guildId }: TestGuild) =>
  BigInt(find(roles, guildId)?.permissions ?? 0);

/** Everyone becomes an administrator only where that opens nothing the backup does not know. */
const finalEveryone = (backup: TestGuild, target: TestGuild): bigint => {
  const [saved, now] = [everyoneOf(backup), everyoneOf(target)];
  const extras = target.channels.filter(({ id }) => !find(backup.channels, id));
  const isClosedToSome = (channel: Channel) =>
    !isVisible(target, now, channel) ||
    channel.overwrites.some(({ deny }) => (BigInt(deny) & view) !== 0n);
  const isWithheld = (saved & ~now & administrator) !== 0n && extras.some(isClosedToSome);
  return isWithheld ? saved & ~administrator : saved;
};

const isVisible = ({ guildId }: TestGuild, everyone: bigint, { overwrites }: Channel): boolean => {
  const own = overwrites.find(({ id, kind }) => kind === 'role' && id === guildId);
  const bits = (everyone & ~BigInt(own?.deny ?? 0)) | BigInt(own?.allow ?? 0);
  return (everyone & administrator) !== 0n || (bits & view) !== 0n;
};

const countRoles = (backup: TestGuild, target: TestGuild): number =>
  sum(
    backup.roles.map((saved) => {
      const now = find(target.roles, saved.id);
      if (!now) return saved.permissions === '0' ? 1 : 2;
      const isEveryone = saved.id === backup.guildId;
      const final = isEveryone ? finalEveryone(backup, target) : BigInt(saved.permissions);
      const had = BigInt(now.permissions);
      // A call of its own, when everything else is done.
      const becomesAdministrator = isEveryone && (final & ~had & administrator) !== 0n;
      const loses = (had & ~final) !== 0n;
      const gained = final & ~had & (isEveryone ? ~administrator : -1n);
      const looksDifferent = !isDeepStrictEqual(looksOf(saved), looksOf(now));
      const changes = gained !== 0n || (looksDifferent && !loses);
      return sum([loses, changes, becomesAdministrator].map(Number));
    }),
  );

const looksOf = ({ name, colors, isHoisted, isMentionable, unicodeEmoji }: Role) => [
  ...[name, colors, isHoisted, isMentionable, unicodeEmoji],
];

/** A new role stands below all others. */
const needsRoleOrder = (backup: TestGuild, target: TestGuild): boolean => {
  const saved = backup.roles.slice(1);
  const ranks = saved.flatMap(({ id }) => find(target.roles, id)?.position ?? []);
  const areTurned = ranks.some((rank, index) => rank > (ranks[index + 1] ?? rank));
  const created = saved.filter(({ id }) => !find(target.roles, id));
  const isLowest = created.length === 1 && created[0] === saved[0];
  return areTurned || (created.length > 0 && !isLowest);
};

const countChannels = (
  backup: TestGuild,
  target: TestGuild,
  closesFirst: ReadonlySet<string>,
): number => {
  // An emoji that is made anew has another id.
  const isNew = (id: string | null | undefined) => Boolean(id) && !find(target.emojis, id ?? '');
  const showsNewEmoji = ({ tags, defaultReaction }: Channel) =>
    isNew(defaultReaction?.emojiId) || tags.some(({ emojiId }) => isNew(emojiId));
  // An administrator sees also what is denied to them: such a channel is created as it ends.
  const isDenied = ({ overwrites }: Channel) =>
    overwrites.some(({ id, deny }) => id === backup.guildId && (BigInt(deny) & view) !== 0n);
  return sum(
    backup.channels.map((saved) => {
      const now = find(target.channels, saved.id);
      if (now) {
        const isSame = isDeepStrictEqual(withoutPlace(saved), withoutPlace(now));
        if (isSame && !showsNewEmoji(saved)) return 0;
        const isTwice = closesFirst.has(saved.id) || needsTwoEdits(backup, target, saved, now);
        return isTwice ? 2 : 1;
      }
      // Created closed, and opened when everything stands.
      const isOpen = isVisible(backup, finalEveryone(backup, target), saved);
      return (isOpen && !isDenied(saved)) || saved.flags !== 0 ? 2 : 1;
    }),
  );
};

/** Tags are new where their channel is, and overwrites have no order; empty ones say nothing. */
const withoutPlace = ({ position: _, overwrites, tags, ...rest }: Channel) => ({
  ...rest,
  overwrites: overwrites
    .filter(({ allow, deny }) => allow !== '0' || deny !== '0')
    .map((one) => Object.values(one).join())
    .sort(),
  tags: tags.map(({ id: __, ...tag }) => tag),
});

/** Between two channels that are there a new one needs a free position. */
const needsChannelOrder = (backup: TestGuild, target: TestGuild): boolean => {
  const groupOf = ({ kind, parentId }: Channel) =>
    `${parentId} ${kind === 'category' ? kind : kind === 'voice' || kind === 'stage'}`;
  const groups = Map.groupBy(backup.channels, groupOf);
  return [...groups.values()].some((group) => {
    let last = { position: -1, id: '0' };
    let between = 0;
    for (const { id } of group) {
      const now = find(target.channels, id);
      if (!now) between += 1;
      else {
        const gap = now.position - last.position;
        const isBehind = gap > 0 || (gap === 0 && BigInt(now.id) > BigInt(last.id));
        if (between > 0 ? gap <= between : !isBehind) return true;
        [last, between] = [now, 0];
      }
    }
    return false;
  });
};

/** Hidden channels that stay, and that only the lack of a permission hides. */
const countExposed = (backup: TestGuild, target: TestGuild): number => {
  const now = everyoneOf(target);
  const final = (now | finalEveryone(backup, target)) & ~administrator;
  const someGain = backup.roles.some(({ id, permissions }) => {
    const role = find(target.roles, id);
    return role && (BigInt(permissions) & ~BigInt(role.permissions) & view) !== 0n;
  });
  const extras = target.channels.filter(({ id }) => !find(backup.channels, id));
  return extras.filter(
    (channel) =>
      !isVisible(target, now, channel) &&
      isVisible(target, someGain ? final | view : final, channel),
  ).length;
};

/** Whether a member has other roles than in the backup, of those that the backup knows. */
const hasOtherRoles = (backup: TestGuild, target: TestGuild, userId: string): boolean => {
  const saved = backup.members.find((member) => member.userId === userId);
  const now = target.members.find((member) => member.userId === userId);
  const isGivable = (id: string) => find(backup.roles, id)?.isManaged === false;
  const [had, wanted] = [now?.roleIds ?? [], saved?.roleIds ?? []].map((ids) =>
    ids.filter(isGivable).sort(),
  );
  return !isDeepStrictEqual(had, wanted);
};

const peopleOf = (backup: TestGuild, target: TestGuild) =>
  backup.members.flatMap((saved) => {
    const now = target.members.find(({ userId }) => userId === saved.userId);
    return now && !now.isBot ? [{ saved, now }] : [];
  });

const countMembers = (backup: TestGuild, target: TestGuild): number =>
  peopleOf(backup, target).filter(
    ({ saved, now }) => saved.nick !== now.nick || hasOtherRoles(backup, target, saved.userId),
  ).length;

/** Where members change roles meanwhile, a channel is closed before that and opened after it. */
const needsTwoEdits = (backup: TestGuild, target: TestGuild, saved: Channel, now: Channel) => {
  const people = peopleOf(backup, target);
  if (!people.some((one) => hasOtherRoles(backup, target, one.now.userId))) return false;
  const named = new Set([...saved.overwrites, ...now.overwrites].map(({ id }) => id));
  const bitsOf = ({ overwrites }: Channel, id: string) => {
    const own = find(overwrites, id);
    return { allow: BigInt(own?.allow ?? 0), deny: BigInt(own?.deny ?? 0) };
  };
  const isMore = (one: Channel, other: Channel) =>
    [...named].some((id) => {
      const [more, less] = [bitsOf(one, id), bitsOf(other, id)];
      return ((more.allow & ~less.allow) | (less.deny & ~more.deny)) !== 0n;
    });
  return isMore(saved, now) && isMore(now, saved);
};

const countPictures = <Thing extends { id: string }>(
  saved: Thing[],
  current: Thing[],
  fields: (keyof Thing)[],
): number =>
  saved.filter((one) => {
    const now = find(current, one.id);
    return !now || fields.some((field) => !isDeepStrictEqual(one[field], now[field]));
  }).length;
