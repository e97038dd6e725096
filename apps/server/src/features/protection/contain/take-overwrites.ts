import { isPassing, PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { permission } from '../../../platform/permissions.ts';
import type { BotPlatform, GuildPlatform } from '../../../platform/port.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import { lockToContain } from '../queries/containment.ts';
import { listExecutorStates } from '../queries/course.ts';
import { settleExecutor } from '../queries/executors.ts';
import { isGivenBack } from '../queries/returns.ts';
import { beginStep, endStep } from '../queries/steps.ts';
import type { Containment } from './containment.ts';

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
  for (const held of heldBy(people, await guild.readChannels())) {
    await takeOne(containment, { guild, back }, held);
  }
};

const heldBy = (people: ReadonlySet<string>, channels: readonly Channel[]): Held[] =>
  channels.flatMap((channel) =>
    channel.overwrites.flatMap((overwrite): Held[] => {
      const taken = BigInt(overwrite.allow) & channelPower;
      const isTheirs = overwrite.kind === 'member' && people.has(overwrite.id);
      return isTheirs && taken !== 0n ? [{ channel, overwrite, taken }] : [];
    }),
  );

const takeOne = async (
  { dependencies: { db }, owner, run: { lease } }: Containment,
  { guild, back }: Record<'guild' | 'back', GuildPlatform>,
  { channel, overwrite, taken }: Held,
): Promise<void> => {
  const platformId = overwrite.id;
  const seq = await lease.transaction(db, async (tx) => {
    if (!(await lockToContain(tx, owner))) return undefined;
    if (await isGivenBack(tx, owner.incidentId, platformId)) return undefined;
    const detail = { channelId: channel.id, taken: taken.toString() };
    return beginStep(tx, owner, { kind: 'TAKE_OVERWRITE', executorId: platformId, detail });
  });
  // It ended meanwhile, or they are given everything back: nothing is taken any more.
  if (seq === undefined) return;
  const allow = (BigInt(overwrite.allow) & ~taken).toString();
  const isTaken = await guild.setOverwrite(channel.id, { ...overwrite, allow }).then(
    () => true,
    (error: unknown) => {
      // With the channel, or the overwrite, the power is gone too.
      if (error instanceof PlatformFailure && !isPassing(error)) return error.status === 404;
      throw error;
    },
  );
  const isLate = isTaken && (await isGivenBack(db, owner.incidentId, platformId));
  // Whoever gives it back may have looked before it was taken.
  if (isLate) await back.setOverwrite(channel.id, overwrite);
  await lease.transaction(db, async (tx) => {
    await endStep(tx, owner, { seq, status: isTaken && !isLate ? 'done' : 'failed' });
    if (isTaken) return;
    const outcome = { status: 'unstoppable', code: 'OWN_OVERWRITE', notTaken: [] } as const;
    await settleExecutor(tx, owner, { platformId, ...outcome });
  });
};
