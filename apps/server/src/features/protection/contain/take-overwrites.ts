import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { botPermissionsIn, permission, without } from '../../../platform/permissions.ts';
import type { BotPlatform, GuildPlatform } from '../../../platform/port.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { prepareOverwrites } from '../incidents/return-overwrites.ts';
import { lockToContain } from '../queries/containment.ts';
import { listExecutorStates } from '../queries/course.ts';
import { settleExecutor } from '../queries/executors.ts';
import { isGivenBack, listOverwritesTaken } from '../queries/returns.ts';
import { beginStep, endStep } from '../queries/steps.ts';
import { type InJournal, listTurning, setApart, withAllowed } from './apart.ts';
import type { Containment } from './containment.ts';
import { readSeenGuild } from './stop-call.ts';

/** What of the power that destroys can be given in a channel. */
const channelPower = permission.manageChannels | permission.manageRoles | permission.manageWebhooks;

/** With these nobody's overwrites matter. */
const beyondReach: readonly (string | null)[] = ['OWNER', 'OWN_TOKEN', 'GONE', 'BOT_UNUSABLE'];

type Held = { channel: Channel; overwrite: Overwrite; taken: bigint };

/**
 * Takes the power that those who were stopped have by overwrites of their own: it comes from no role, so it
 * is left when their roles are gone. What is taken stands in the journal before, to be given back.
 */
export const takeOverwrites = async (
  containment: Containment,
  platform: BotPlatform,
): Promise<void> => {
  const { dependencies, owner, incident, run } = containment;
  const executors = await listExecutorStates(dependencies.db, owner.incidentId);
  const people = new Set(
    executors
      .filter(({ code, returnStatus }) => returnStatus === null && !beyondReach.includes(code))
      // A bot that was removed has nothing that could be given back.
      .filter(({ isBot, status }) => !(isBot && status === 'stopped'))
      .map(({ platformId }) => platformId),
  );
  if (people.size === 0) return;
  const urgent = { signal: run.signal, isUrgent: true };
  const guild = platform.guild(incident.guildId, { ...urgent, reason: auditReasons.stop() });
  const back = platform.guild(incident.guildId, { ...urgent, reason: auditReasons.rolesBack() });
  const channels = await guild.readChannels();
  const held = heldBy(people, channels);
  if (held.length === 0) return;
  const { bot, guild: seen } = await readSeenGuild(platform, incident, urgent);
  const ranked = { guildId: incident.guildId, ownerId: seen.ownerId, roles: seen.roles };
  const inGuild = {
    db: dependencies.db,
    lease: run.lease,
    owner,
    bot: botPermissionsIn(bot, ranked),
  };
  await keepApart({ ...inGuild, guild }, channels, held);
  // Of a category last: what follows it has its own row of the journal by then.
  for (const one of held.toSorted((some, other) => rankOf(some) - rankOf(other))) {
    await takeOne({ ...inGuild, guild }, one, back);
  }
};

const rankOf = ({ channel }: Held): number => (channel.kind === 'category' ? 1 : 0);

const heldBy = (people: ReadonlySet<string>, channels: readonly Channel[]): Held[] =>
  channels.flatMap((channel) =>
    channel.overwrites.flatMap((overwrite): Held[] => {
      const taken = BigInt(overwrite.allow) & channelPower;
      const isTheirs = overwrite.kind === 'member' && people.has(overwrite.id);
      return isTheirs && taken !== 0n ? [{ channel, overwrite, taken }] : [];
    }),
  );

/**
 * A channel that differs from its category in this alone would begin to follow it. What an earlier run has
 * taken counts as it was before.
 */
const keepApart = async (
  journal: InJournal,
  channels: readonly Channel[],
  held: readonly Held[],
): Promise<void> => {
  const earlier = await listOverwritesTaken(journal.db, journal.owner.incidentId);
  const before = ({ id, overwrites }: Channel) =>
    earlier
      .filter(({ channelId }) => channelId === id)
      .reduce((all, one) => withAllowed(all, one.executorId, BigInt(one.taken)), overwrites);
  const after = ({ id, overwrites }: Channel) =>
    overwrites.map((overwrite) => {
      const taken = held.find((one) => one.channel.id === id && one.overwrite === overwrite);
      return taken ? withoutTaken(taken) : overwrite;
    });
  // Where the platform refuses it, the power is taken all the same.
  for (const channel of listTurning(channels, { before, after })) await setApart(journal, channel);
};

const withoutTaken = ({ overwrite, taken }: Held): Overwrite => ({
  ...overwrite,
  allow: without(BigInt(overwrite.allow), taken).toString(),
});

const takeOne = async (journal: InJournal, held: Held, back: GuildPlatform): Promise<void> => {
  const { db, lease, owner, guild } = journal;
  const { channel, overwrite, taken } = held;
  const platformId = overwrite.id;
  const seq = await lease.transaction(db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return undefined;
    if (await isGivenBack(tx, owner.incidentId, platformId)) return undefined;
    const detail = { channelId: channel.id, taken: taken.toString() };
    return beginStep(tx, owner, { kind: 'TAKE_OVERWRITE', executorId: platformId, detail });
  });
  // It ended meanwhile, or they are given everything back: nothing is taken any more.
  if (seq === undefined) return;
  const isTaken = await guild.setOverwrite(channel.id, withoutTaken(held)).then(
    () => true,
    (error: unknown) => {
      // With the channel, or the overwrite, the power is gone too.
      if (error instanceof PlatformFailure && !isPassing(error)) return error.status === 404;
      throw error;
    },
  );
  const isLate = isTaken && (await isGivenBack(db, owner.incidentId, platformId));
  // Whoever gives it back may have looked before it was taken.
  if (isLate) {
    const own = { executorId: platformId, channelId: channel.id, taken: taken.toString() };
    const give = await prepareOverwrites({ ...journal, guild: back }, [own]);
    await give(platformId);
  }
  await lease.transaction(db, async (tx) => {
    await endStep(tx, owner, { seq, status: isTaken && !isLate ? 'done' : 'failed' });
    if (isTaken) return;
    const outcome = { status: 'unstoppable', code: 'OWN_OVERWRITE', notTaken: [] } as const;
    await settleExecutor(tx, owner, { platformId, ...outcome });
  });
};
