import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import { deleteInBatches } from '../../../db/queries/purge-rows.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Job } from '../../../queue/job.ts';
import type { Queue } from '../../../queue/queue.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { lockIncident } from '../queries/incidents.ts';
import { forgetErased } from '../queries/person.ts';
import { decideWave, finishWave } from './decide-wave.ts';
import { reviewWaveLater } from './jobs.ts';
import { forgetJoins, forgetNewcomers } from './queries/joins.ts';
import { listUndecided, listUnreviewed, listWavesOver } from './queries/waves.ts';
import { longestWaveMs, quietMs, undecidedDays } from './wave.ts';

type Dependencies = { db: Database; queue: Pick<Queue, 'enqueue'>; clock: Clock };

const wavesAtATime = 500;
const rowsAtATime = 1000;
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** The longest window in which joins are counted. */
const longestWindowMs = hourMs;

export const endWaves = { name: 'protection.end-waves', payload: z.object({}) };

/** Waves in which nobody has joined for a while are over, and so are those that last too long. */
export const endWavesJob = ({ db, queue, clock }: Dependencies) =>
  ({
    ...endWaves,
    cron: '* * * * *',
    async run() {
      const nowMs = clock.now().getTime();
      const limits = {
        quietSince: new Date(nowMs - quietMs),
        begunBefore: new Date(nowMs - longestWaveMs),
      };
      for (const wave of await listWavesOver(db, limits, wavesAtATime)) {
        await db.transaction((tx) => finishWave(tx, queue, wave, limits));
      }
    },
  }) satisfies Job;

export const tendWaves = { name: 'protection.tend-waves', payload: z.object({}) };

/** What nobody decided is kept in the end, what was left undone is taken up, what is old is forgotten. */
export const tendWavesJob = ({ db, queue, clock }: Dependencies) =>
  ({
    ...tendWaves,
    cron: '4-59/10 * * * *',
    async run(_: object, signal: AbortSignal) {
      const nowMs = clock.now().getTime();
      const undecidedSince = new Date(nowMs - undecidedDays * dayMs);
      for (const wave of await listUndecided(db, undecidedSince, wavesAtATime)) {
        await db.transaction(async (tx) => {
          const incident = await lockIncident(tx, wave);
          if (!incident || incident.endedAt !== null) return;
          if (!(await decideWave(tx, queue, wave, 'KEEP'))) return;
          await recordAudit(tx, {
            ...{ accountId: wave.accountId, actor: systemActor, action: 'incident.dismiss' },
            subject: { type: 'incident', id: wave.incidentId },
            changes: { serverId: wave.serverId, decision: 'KEEP' },
          });
        });
      }
      for (const wave of await listUnreviewed(db, wavesAtATime)) {
        await db.transaction((tx) => reviewWaveLater(queue, tx, wave));
      }
      await deleteInBatches({ signal }, () => forgetErased(db, rowsAtATime));
      await deleteInBatches({ signal }, () =>
        forgetJoins(db, new Date(nowMs - longestWindowMs), rowsAtATime),
      );
      await deleteInBatches({ signal }, () =>
        forgetNewcomers(db, new Date(nowMs - undecidedDays * dayMs), rowsAtATime),
      );
    },
  }) satisfies Job;
