import { z } from 'zod';
import type { Bench, Tenant } from '../lib/environment.ts';

const record = z.object({
  id: z.string(),
  status: z.string(),
  error: z.string().nullable(),
  warnings: z.array(z.string()),
  createdAt: z.coerce.date(),
  startedAt: z.coerce.date().nullable(),
  completedAt: z.coerce.date().nullable(),
});
type Record = z.output<typeof record>;

/** One backup or restore, by the times in its own record. */
export type Run = { id: string; createdAt: number; startedAt: number; completedAt: number };

/** From the request to the end, and so with the wait for a worker. */
export const wallMs = ({ createdAt, completedAt }: Run): number => completedAt - createdAt;
export const queuedMs = ({ createdAt, startedAt }: Run): number => startedAt - createdAt;

export type BackupsApi = {
  backUp(serverId: string, request?: object): Promise<Run>;
  restore(serverId: string, backupId: string, request?: object): Promise<Run>;
};

const pollMs = 250;
const deadlineMs = 300_000;

/** Changes of one account are serialized: retries when it is told to. */
export const backupsApi = (bench: Bench, { key }: Tenant): BackupsApi => {
  const ask = async (method: string, path: string, body?: object): Promise<Record> => {
    const answer = await fetch(`${bench.service.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    if (answer.status === 429) {
      await Bun.sleep(Number(answer.headers.get('retry-after')) * 1000);
      return ask(method, path, body);
    }
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return z.object({ data: record }).parse(await answer.json()).data;
  };
  const follow = async (path: string): Promise<Run> => {
    const deadline = Date.now() + deadlineMs;
    while (Date.now() < deadline) {
      const seen = await ask('GET', path);
      if (seen.completedAt) return runOf(path, seen);
      await Bun.sleep(pollMs);
    }
    throw new Error(`${path} did not end`);
  };
  return {
    async backUp(serverId, request = {}) {
      const { id } = await ask('POST', `/servers/${serverId}/backups`, request);
      return follow(`/servers/${serverId}/backups/${id}`);
    },
    async restore(serverId, backupId, request = {}) {
      const path = `/servers/${serverId}/backups/${backupId}/restore`;
      const { id } = await ask('POST', path, request);
      return follow(`/restores/${id}`);
    },
  };
};

const runOf = (path: string, { id, status, createdAt, ...seen }: Record): Run => {
  if (status !== 'completed' || !seen.startedAt || !seen.completedAt) {
    throw new Error(`${path} ended ${status}: ${seen.error ?? seen.warnings.join('; ')}`);
  }
  return {
    id,
    createdAt: createdAt.getTime(),
    startedAt: seen.startedAt.getTime(),
    completedAt: seen.completedAt.getTime(),
  };
};
