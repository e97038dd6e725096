import { isDeepStrictEqual } from 'node:util';
import type { LogRow } from '@holdfast/simulator';
import { eventually } from '../../harness/eventually.ts';
import { findDifferences } from '../guild/describe-guild.ts';
import type { GuildState } from '../guild/guild.ts';
import type { Lane } from '../lane/lane.ts';
import {
  type Course,
  countAlerts,
  findWatched,
  listCourses,
  listIncidentBackups,
  listRepairs,
} from './queries.ts';
import { honestName, honestTopic, idOf, type Scene } from './scene.ts';
import type { ProtectionSetup } from './setup.ts';

/** What is known of an attack, from its first blow until everything is given back. */
export type ProtectionRun = {
  scene: Scene;
  /** The names of what the attacker deleted. */
  deleted: string[];
  /** The guild when the incident had ended, and when roles were given back; none where it never came to that. */
  repaired?: GuildState;
  returned?: GuildState;
  isKilled: boolean;
};

/** Everything that must hold of an attack that is over, however its defender died. */
export const checkProtection = async (
  { botUserId }: ProtectionSetup,
  run: ProtectionRun,
): Promise<string[]> => {
  const { scene } = run;
  const { lane } = scene;
  const missed = await heardViolations(scene);
  const courses = await listCourses(lane);
  const [course] = courses;
  if (!course) return ['there is no incident'];
  const log = (await lane.readLog()).filter(({ guildId }) => guildId === lane.guildId);
  const own = log.filter(({ botId, applied }) => botId === botUserId && applied);
  return [
    ...missed,
    ...courses.slice(1).map(({ trigger }) => `there is another: ${JSON.stringify(trigger)}`),
    ...endViolations(course, run),
    ...roleViolations(course, scene),
    ...journalViolations(course),
    ...guildViolations(run),
    ...repeatViolations(own, run),
    ...lane.watch.violations(),
    ...(await onceViolations(scene)),
  ];
};

/** Everything that was done is heard: an incident that follows from it would be there by now. */
const heardViolations = async ({ lane, honest }: Scene): Promise<string[]> => {
  const { body } = await honest('GET', `/guilds/${lane.guildId}/audit-logs?limit=1`);
  const newest = BigInt(body.audit_log_entries[0].id);
  return eventually(30_000, async () => {
    const heard = BigInt((await findWatched(lane))?.lastEntryId ?? 0);
    if (heard < newest) throw new Error('Not heard yet');
    return [];
  }).catch(() => ['not everything that was done was heard']);
};

const endViolations = (
  { status, executors, invitesPausedUntil }: Course,
  { repaired, returned }: ProtectionRun,
): string[] => [
  ...(status === 'repaired' ? [] : [`the incident is ${status}`]),
  ...(repaired ? [] : ['it never ended by itself']),
  ...(returned ? [] : ['roles were never given back']),
  ...(invitesPausedUntil === null ? [] : ['invites count as paused']),
  ...executors
    .filter(({ returnStatus }) => returnStatus !== 'returned')
    .map(({ platformId, returnStatus }) => `the roles of ${platformId} are ${returnStatus}`),
];

const roleViolations = ({ executors }: Course, { attackerId, whole }: Scene): string[] => {
  const [executor, ...others] = executors;
  if (executor?.platformId !== attackerId || others.length > 0) {
    return [`stopped were ${executors.map(({ platformId }) => platformId).join(', ')}`];
  }
  const before = whole.members.find(({ user }) => user.id === attackerId)?.roles ?? [];
  const taken = [idOf(whole.roles, 'Admin')];
  const isNoted = isDeepStrictEqual(executor.rolesBefore.toSorted(), before.toSorted());
  return [
    ...(executor.status === 'stopped' ? [] : [`the attacker is ${executor.status}`]),
    ...(isNoted ? [] : [`noted as theirs are ${executor.rolesBefore}`]),
    ...(isDeepStrictEqual(executor.rolesTaken, taken)
      ? []
      : [`noted as taken are ${executor.rolesTaken}`]),
  ];
};

const takenOnce = [
  'PAUSE_INVITES',
  'SNAPSHOT',
  'ALERT',
  'REPAIR',
  'RESUME_INVITES',
  'RETURN_ROLES',
];
const auditedOnce = [
  ...['incident.open', 'incident.contain', 'incident.repair', 'incident.end'],
  ...['incident.return_roles', 'incident.roles_returned'],
];

const journalViolations = ({ steps, audits }: Course): string[] => [
  ...steps
    .filter(({ status }) => status !== 'done')
    .map(({ kind, status }) => `the step ${kind} is ${status}`),
  ...takenOnce.flatMap((kind) => onceOf(kind, steps.filter((step) => step.kind === kind).length)),
  ...auditedOnce.flatMap((action) =>
    onceOf(action, audits.filter((audit) => audit.action === action).length),
  ),
];

const onceOf = (what: string, times: number): string[] =>
  times === 1 ? [] : [`${what} is there ${times} times`];

/** The guild as it was, with what honest people did; the attacker's power comes back last. */
const guildViolations = ({ scene, repaired, returned }: ProtectionRun): string[] => {
  const expected = structuredClone(scene.whole);
  for (const channel of expected.channels) {
    if (channel.name === 'log') channel.topic = honestTopic;
    if (channel.topic === 'starboard') channel.name = honestName;
  }
  const stopped = structuredClone(expected);
  const power = idOf(expected.roles, 'Admin');
  for (const member of stopped.members) {
    if (member.user.id === scene.attackerId)
      member.roles = member.roles.filter((id) => id !== power);
  }
  return [
    ...(repaired ? stateViolations('repaired', stopped, repaired) : []),
    ...(returned ? stateViolations('given back', expected, returned) : []),
  ];
};

const stateViolations = (when: string, expected: GuildState, found: GuildState): string[] => {
  const { incidents_data: paused } = found.guild;
  return [
    ...findDifferences(expected, found).map((difference) => `when ${when}: ${difference}`),
    ...(paused?.invites_disabled_until ? [`when ${when}: invites are paused`] : []),
  ];
};

const nameIn = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'name' in body ? String(body.name) : '';

/** What was deleted is made once, and nothing else is; nobody is given anything twice. */
const repeatViolations = (own: LogRow[], { scene, deleted }: ProtectionRun): string[] => {
  const made = own
    .filter(({ method, route }) => method === 'POST' && isMaking(route))
    .map(({ body }) => nameIn(body));
  const removed = own.filter(({ method }) => method === 'DELETE');
  const power = idOf(scene.whole.roles, 'Admin');
  const returns = own.filter(
    ({ method, path, body }) =>
      method === 'PATCH' &&
      path.endsWith(`/members/${scene.attackerId}`) &&
      JSON.stringify(body).includes(power),
  );
  return [
    ...(isDeepStrictEqual(made.toSorted(), deleted.toSorted())
      ? []
      : [`made were ${made.join(', ')} of ${deleted.join(', ')}`]),
    ...removed.map(({ path }) => `it deleted ${path}`),
    ...(returns.length === 1 ? [] : [`roles were given back ${returns.length} times`]),
  ];
};

const isMaking = (route: string | null): boolean =>
  route === '/guilds/:id/channels' || route === '/guilds/:id/roles';

/** The backup of the wreck is taken when a worker has time for it, whatever else goes on. */
const untilBackedUp = (lane: Lane) =>
  eventually(60_000, async () => {
    const snapshots = await listIncidentBackups(lane);
    if (snapshots.some(({ status }) => status !== 'completed')) throw new Error('Not backed up');
    return snapshots;
  }).catch(() => listIncidentBackups(lane));

const onceViolations = async ({ lane }: Scene): Promise<string[]> => {
  const snapshots = await untilBackedUp(lane);
  const repairs = await listRepairs(lane);
  return [
    ...onceOf('the alert', await countAlerts(lane)),
    ...onceOf('the backup of the incident', snapshots.length),
    ...snapshots
      .filter(({ status }) => status !== 'completed')
      .map(({ status }) => `the backup of the incident is ${status}`),
    ...onceOf('the repair', repairs.length),
    ...repairs
      .filter(({ status, warnings }) => status !== 'completed' || warnings.length > 0)
      .map(({ status, error, warnings }) => `the repair is ${status}: ${[error, ...warnings]}`),
  ];
};
