import { dashboardApiPrefix } from '@holdfast/contract';
import { signInByRow } from '../../harness/dashboard/session.ts';
import { eventually } from '../../harness/eventually.ts';
import { clearFaultsAndLog, diesBefore, type KillPoint, killAtTime, nameOf } from '../lane/kill.ts';
import type { Outcome } from '../outcome.ts';
import { checkProtection, type ProtectionRun } from './checks.ts';
import { listCourses } from './queries.ts';
import { closeScene, honestName, idOf, openScene, type Scene } from './scene.ts';
import type { ProtectionSetup } from './setup.ts';

/** One attack whose defender is killed at the given point, then started again. */
export const runProtection = async (
  setup: ProtectionSetup,
  point: KillPoint,
): Promise<Outcome & { calls: number; tookMs: number }> => {
  const scene = await openScene(setup);
  const startedAt = performance.now();
  const run = await executeProtection(setup, scene, point);
  const tookMs = performance.now() - startedAt;
  const calls = setup.proxy.seen();
  // An attack that made fewer calls than usual did not come to the point.
  setup.proxy.arm();
  const violations = await checkProtection(setup, run);
  await closeScene(scene);
  const { isKilled } = run;
  const isResumed = isKilled && run.returned !== undefined;
  return { name: nameOf(point), kills: isKilled ? 1 : 0, isResumed, violations, calls, tookMs };
};

const executeProtection = async (
  setup: ProtectionSetup,
  scene: Scene,
  point: KillPoint,
): Promise<ProtectionRun> => {
  const { lane, proxy } = setup;
  const victim = lane.worker();
  await clearFaultsAndLog(lane);
  lane.watch.begin(scene.whole, scene.whole, { isRepaired: true });
  proxy.arm(point.at === 'time' ? undefined : { ...point, victim });
  const cancelKill = killAtTime(victim, point);
  const course = followCourse(scene);
  const isKilled = await diesBefore(victim, () => course);
  cancelKill();
  if (isKilled) await lane.startWorker();
  return { ...(await course), scene, isKilled };
};

/** The attack, its end by itself, and what was taken given back on the owner's word. */
const followCourse = async (scene: Scene) => {
  const [deleted] = await Promise.all([strike(scene), renameHonestly(scene)]);
  const { readGuild } = scene.lane;
  const incidentId = await untilRepaired(scene);
  if (!incidentId) return { deleted };
  const repaired = await readGuild();
  await returnRoles(scene, incidentId);
  const isReturned = await untilReturned(scene);
  return { deleted, repaired, ...(isReturned && { returned: await readGuild() }) };
};

/** Without BASE_URL, by PORT, which is 0: any free port. */
const dashboardOrigin = 'http://localhost:0';

/** In the dashboard, where it takes effect at once. */
const returnRoles = async ({ lane }: Scene, incidentId: string): Promise<void> => {
  const cookie = await signInByRow(lane.databaseUrl, lane.tenant);
  const path = `${dashboardApiPrefix}/incidents/${incidentId}/return-roles`;
  const url = new URL(path, lane.api.url);
  const reply = await fetch(url, { method: 'POST', headers: { cookie, origin: dashboardOrigin } });
  if (!reply.ok) throw new Error(`Not returned: ${reply.status} ${await reply.text()}`);
  await reply.arrayBuffer();
};

/** Channels and roles in turn, until there is no more power to do it. */
const strike = async ({ whole, attacker, lane: { guildId } }: Scene): Promise<string[]> => {
  const channel = (name: string, topic?: string) => ({
    name,
    path: `/channels/${idOf(whole.channels, name, topic)}`,
  });
  const role = (name: string) => ({
    name,
    path: `/guilds/${guildId}/roles/${idOf(whole.roles, name)}`,
  });
  const blows = [
    ...[channel('log'), channel('quay', 'port'), role('Harbour pilot'), channel('crew')],
    ...[role('Helper'), channel('Bridge'), channel('lost-and-found'), channel('off-topic')],
  ];
  const deleted: string[] = [];
  for (const { name, path } of blows) {
    const { status } = await attacker('DELETE', path);
    if (status === 403) break;
    deleted.push(name);
  }
  return deleted;
};

const renameHonestly = async ({ whole, honest }: Scene): Promise<void> => {
  const path = `/channels/${idOf(whole.channels, 'quay', 'starboard')}`;
  await honest('PATCH', path, { name: honestName });
};

const endWithinMs = 90_000;

/** Gives the incident's id, once it has ended and invites work again; nothing where that never happens. */
const untilRepaired = ({ lane }: Scene): Promise<string | undefined> =>
  eventually(endWithinMs, async () => {
    const [course] = await listCourses(lane);
    const isOver = course?.status === 'repaired' && course.invitesPausedUntil === null;
    if (!isOver) throw new Error('It has not ended');
    return course.id;
  }).catch(() => undefined);

const untilReturned = ({ lane }: Scene): Promise<boolean> =>
  eventually(endWithinMs, async () => {
    const [course] = await listCourses(lane);
    const isWaiting = course?.executors.some(({ returnStatus }) => returnStatus === 'wanted');
    if (!course || isWaiting) throw new Error('Roles are not given back');
    return true;
  }).catch(() => false);
