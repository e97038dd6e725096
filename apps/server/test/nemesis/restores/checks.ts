import { listSteps } from '../../../src/features/restores/queries/journal.ts';
import { findRestore } from '../../../src/features/restores/queries/restores.ts';
import { findDifferences } from '../guild/describe-guild.ts';
import { damageGuild } from '../guild/guild.ts';
import { backupsOf, ownerOf, type RestoreRun, restorePath } from '../lane/calls.ts';
import type { Lane } from '../lane/lane.ts';
import { countSafetyBackups, findPlanContext } from '../lane/queries.ts';
import { findRepeats } from './journal-calls.ts';
import type { Way } from './way.ts';

/** Everything that must hold of a restore that is at its end, however its worker died. */
export const checkRestore = async (
  lane: Lane,
  run: RestoreRun,
  { isRepaired, expected }: Pick<Way, 'isRepaired' | 'expected'>,
): Promise<string[]> => [
  ...(await endViolations(lane, run)),
  ...findDifferences(expected(lane.whole), await lane.readGuild()),
  ...(isRepaired ? await lostViolations(lane) : []),
  ...(await repeatViolations(lane, run)),
  ...lane.watch.violations(),
  ...(await safetyViolations(lane, run)),
];

const endViolations = async ({ tenant }: Lane, { restoreId }: RestoreRun): Promise<string[]> => {
  const { data } = (await tenant.call('GET', restorePath(restoreId))).body;
  const told = [data.error, ...data.warnings].filter(Boolean).join('; ');
  return data.status === 'completed' && told === ''
    ? []
    : [`it is ${data.status}: ${told || 'no reason given'}`];
};

/** A repair keeps every channel that the raid left. */
const lostViolations = async (lane: Lane): Promise<string[]> => {
  const { channels } = await lane.readGuild();
  const known = new Set(lane.whole.channels.map(({ id }) => id));
  const left = damageGuild(lane.whole).channels.filter(({ id }) => known.has(id));
  return left
    .filter(({ id }) => !channels.some((channel) => channel.id === id))
    .map(({ name }) => `the channel ${name} was not kept`);
};

const repeatViolations = async (lane: Lane, run: RestoreRun): Promise<string[]> => {
  const owner = ownerOf(lane, run.restoreId);
  const idMap = (await findPlanContext(lane.db, owner))?.idMap;
  if (!idMap) return ['it was never planned'];
  const changes = (await lane.readLog()).filter(
    ({ applied, method }) => applied && method !== 'GET',
  );
  const { logSeq = Number.POSITIVE_INFINITY, steps } = run.death ?? {};
  return findRepeats(
    { guildId: lane.guildId, idMap, atDeath: steps, atEnd: await listSteps(lane.db, owner) },
    {
      beforeDeath: changes.filter(({ seq }) => seq <= logSeq),
      afterDeath: changes.filter(({ seq }) => seq > logSeq),
    },
  );
};

const safetyViolations = async (lane: Lane, { restoreId }: RestoreRun): Promise<string[]> => {
  const safetyBackupId = (await findRestore(lane.db, ownerOf(lane, restoreId)))?.safetyBackupId;
  if (!safetyBackupId) return ['there is no safety backup'];
  const { body } = await lane.tenant.call('GET', `${backupsOf(lane)}/${safetyBackupId}`);
  const { status } = body.data;
  const made = await countSafetyBackups(lane.db, restoreId);
  return [
    ...(status === 'completed' ? [] : [`its safety backup is ${status}`]),
    ...(made === 1 ? [] : [`${made} safety backups were made`]),
  ];
};
