import type { Entry, Holdfast } from '@holdfast/sdk';
import { CommandError } from '../exit-codes.ts';

type Server = Entry<'listServers'>;

export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** A server by its id, its name or the id of its guild. */
export const findServer = async (holdfast: Holdfast, given: string): Promise<Server> => {
  if (isUuid(given)) return holdfast.getServer({ params: { id: given } });
  const servers: Server[] = [];
  for await (const server of holdfast.listServers.all()) servers.push(server);
  const same = servers.filter(({ name, platformGuildId }) =>
    [name.toLowerCase(), platformGuildId].includes(given.toLowerCase()),
  );
  const [server, ...others] = same;
  if (server === undefined) throw noSuchServer(given, servers);
  if (others.length > 0) {
    throw new CommandError(
      'usage',
      `${same.length} servers are called ${given}: name one by its id`,
      [...same.map(({ id, platformGuildId }) => `  ${id}  guild ${platformGuildId}`)],
    );
  }
  return server;
};

const noSuchServer = (given: string, servers: Server[]): CommandError => {
  const names = servers.map(({ name }) => name);
  const close = names.filter((name) => name.toLowerCase().includes(given.toLowerCase()));
  const shown = (close.length > 0 ? close : names).slice(0, 5).join(', ');
  return new CommandError('notFound', `You have no server ${given}`, [
    names.length === 0 ? 'You have no servers yet.' : `Did you mean: ${shown}?`,
  ]);
};

/** The id of a server; an id is taken as it is. */
export const serverIdOf = async (holdfast: Holdfast, given: string): Promise<string> =>
  isUuid(given) ? given : (await findServer(holdfast, given)).id;

/**
 * A backup by its id; `latest` is the newest completed one, `good` the last good one. A backup made
 * before a restore is never the latest: it has what the restore was to repair.
 */
export const backupIdOf = async (
  holdfast: Holdfast,
  serverId: string,
  given: string,
): Promise<string> => {
  if (given === 'good') {
    const { lastGoodBackupId, name } = await holdfast.getServer({ params: { id: serverId } });
    if (lastGoodBackupId === null) throw noBackup(name, 'good');
    return lastGoodBackupId;
  }
  if (given !== 'latest') return given;
  for await (const { id, status, kind } of holdfast.listBackups.all({ params: { id: serverId } })) {
    if (status === 'completed' && kind !== 'PRE_RESTORE') return id;
  }
  throw noBackup(serverId, 'completed');
};

const noBackup = (server: string, kind: string): CommandError =>
  new CommandError('notFound', `${server} has no ${kind} backup`, [
    `Make one: holdfast backup ${server}`,
  ]);
