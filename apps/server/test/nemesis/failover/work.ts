import { listSteps } from '../../../src/features/restores/queries/journal.ts';
import { ownerOf, restorePath, waitForEnd } from '../lane/calls.ts';
import { clearFaultsAndLog } from '../lane/kill.ts';
import type { Lane } from '../lane/lane.ts';
import { checkPull, type PullRecord } from '../pulls/checks.ts';
import { preparePeople } from '../pulls/people.ts';
import { beginPull, lastLogged } from '../pulls/run.ts';
import type { PullSetup } from '../pulls/setup.ts';
import { checkRestore } from '../restores/checks.ts';
import { beginRestore } from '../restores/run.ts';
import { replacing } from '../restores/way.ts';

/** Long work that is under way when the primary is lost. */
type Work = {
  /** Called when the primary is lost. */
  noteLoss(): Promise<void>;
  /** Waits for its end; gives what is wrong with it. */
  finish(): Promise<string[]>;
};

const endWithinMs = 180_000;
const readEveryMs = 100;

export const startPull = async (setup: PullSetup): Promise<Work> => {
  const { lane } = setup;
  const people = await preparePeople(setup);
  await clearFaultsAndLog(lane);
  const readings = [await beginPull(setup)];
  let death: { atMs: number; logSeq: number } | undefined;
  const cut: string[] = [];
  const reading = readToEnd(lane, readings, cut);
  return {
    async noteLoss() {
      death = { atMs: Date.now(), logSeq: await lastLogged(lane) };
    },
    async finish() {
      await reading;
      const violations = await checkPull(setup, { people, readings, ...(death && { death }) });
      return [...cut, ...violations].map((violation) => `pull: ${violation}`);
    },
  };
};

/** While there is no primary, a reading may be refused; but it is answered, by a process that goes on. */
const readToEnd = async (
  { tenant }: Lane,
  readings: PullRecord[],
  cut: string[],
): Promise<void> => {
  const [first] = readings;
  const deadline = Date.now() + endWithinMs;
  while (Date.now() < deadline) {
    const begunAt = performance.now();
    const { status, body, text } = await tenant
      .call('GET', `/api/v1/pulls/${first?.id}`)
      .catch((error: unknown) => {
        cut.push(`not answered after ${Math.round(performance.now() - begunAt)} ms: ${error}`);
        return { status: 503, body: { data: undefined }, text: '' };
      });
    if (status >= 400 && status < 500) throw new Error(`No reading: ${status} ${text}`);
    if (status === 200) readings.push(body.data);
    if (body.data?.completedAt) return;
    await Bun.sleep(readEveryMs);
  }
};

export const startRestore = async (lane: Lane, backupId: string): Promise<Work> => {
  const { restoreId } = await beginRestore(lane, backupId, async () => undefined);
  return {
    noteLoss: async () => undefined,
    async finish() {
      await waitForEnd(lane, restorePath(restoreId));
      const steps = await listSteps(lane.db, ownerOf(lane, restoreId));
      // Any step may have been begun when its primary was lost; nothing may be made twice even so.
      const begun = steps.map((step) => ({ ...step, status: 'begun' as const }));
      const death = { steps: begun, logSeq: Number.POSITIVE_INFINITY };
      const violations = await checkRestore(lane, { restoreId, death }, replacing);
      return violations.map((violation) => `restore: ${violation}`);
    },
  };
};
