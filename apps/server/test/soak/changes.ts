import { randomPlatformId } from '../harness/service.ts';
import type { Community } from './community.ts';
import type { Protocol } from './protocol.ts';

/** A writer who remembers what was acknowledged. */
export type Changes = {
  changeOnce(): Promise<void>;
  /** Compares what was acknowledged with what is there. */
  check(): Promise<void>;
};

const kept = 30;

/** Makes firewall rules, and deletes the oldest when there are enough. */
export const createChanges = (
  { client, serverId }: Pick<Community, 'client' | 'serverId'>,
  { count, violate }: Protocol,
): Changes => {
  const path = `/api/v1/servers/${serverId}/firewall`;
  const acknowledged = new Map<string, string>();
  const deleted = new Set<string>();
  const make = async () => {
    const value = randomPlatformId();
    const made = await client.call('POST', path, { body: { type: 'USER_ID', value } });
    if (made.status !== 201) throw new Error(`No rule: ${made.status} ${made.text}`);
    acknowledged.set(made.body.data.id, value);
    count('rules made');
  };
  const remove = async (id: string) => {
    const { status, tries, text } = await client.call('DELETE', `${path}?ruleId=${id}`);
    const isLostAnswer = status === 404 && tries > 1;
    if (status !== 200 && !isLostAnswer) throw new Error(`Not deleted: ${status} ${text}`);
    acknowledged.delete(id);
    deleted.add(id);
    count('rules deleted');
  };
  return {
    async changeOnce() {
      await make();
      const [oldest] = acknowledged.keys();
      if (oldest !== undefined && acknowledged.size > kept) await remove(oldest);
    },
    async check() {
      const rules: { id: string; value: string }[] = (await client.call('GET', path)).body.data;
      const found = new Map(rules.map(({ id, value }) => [id, value]));
      for (const [id, value] of acknowledged) {
        if (found.get(id) !== value) violate(`the acknowledged rule ${id} is lost`);
      }
      for (const { id } of rules) {
        if (deleted.has(id)) violate(`the deleted rule ${id} is back`);
        else if (!acknowledged.has(id)) violate(`the rule ${id} was made twice`);
      }
    },
  };
};
