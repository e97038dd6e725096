import type { Holdfast } from '@holdfast/sdk';
import type { JobKind } from '@holdfast/sdk/catalog';
import type { CommandSpec } from '../command.ts';
import { CommandError } from '../exit-codes.ts';
import type { Job } from '../jobs/follow.ts';
import { failIfPartial, finishJob } from '../jobs/run-job.ts';
import { fieldsOfAny } from '../operations/named.ts';
import { serverIdOf } from '../operations/resolve.ts';

const kinds: readonly JobKind[] = ['backup', 'restore', 'pull'];

export const watch: CommandSpec = {
  words: ['watch'],
  summary: 'Follow a backup, restore or pull until it ends',
  arguments: [
    { name: 'kind', description: 'backup, restore or pull', values: [...kinds] },
    { name: 'id', description: 'id of the restore or pull; of a backup, its server' },
    { name: 'backup', description: 'id of the backup; the newest, unless given', isOptional: true },
  ],
  outputFields: fieldsOfAny('getBackup', 'getRestore', 'getPull'),
  examples: [
    { does: 'Come back to a restore', line: 'holdfast watch restore <restore>' },
    { does: 'To the newest backup of a server', line: 'holdfast watch backup Harbour' },
  ],
  async run({ context, args: [given = '', id = '', backup] }) {
    const kind = kinds.find((name) => name === given);
    if (!kind) throw new CommandError('usage', `${given} is none of ${kinds.join(', ')}`);
    const holdfast = await context.holdfast();
    const job = kind === 'backup' ? await findBackup(holdfast, id, backup) : { id, serverId: '' };
    const label = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
    failIfPartial(await finishJob(context, holdfast, kind, job, { label, waits: true }));
  },
};

const findBackup = async (
  holdfast: Holdfast,
  server: string,
  given: string | undefined,
): Promise<Job> => {
  const serverId = await serverIdOf(holdfast, server);
  if (given !== undefined && given !== 'latest') return { id: given, serverId };
  const { data } = await holdfast.listBackups({ params: { id: serverId }, query: { limit: 1 } });
  const [newest] = data;
  if (!newest) throw new CommandError('notFound', `${server} has no backup`);
  return newest;
};
