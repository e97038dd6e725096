import { expect } from 'bun:test';
import { join } from 'node:path';
import { freshDatabase } from '../database.ts';
import { createKey, makePlansFile, request, startService, tenantAt } from '../running-service.ts';
import type { Reply, Tenant } from '../service.ts';
import { type Measured, measureNeighbour } from './neighbour.ts';

const root = join(import.meta.dir, '../../../../..');
const laterByAtMostMs = 100;

const isError = (line: string): boolean => line.includes('"level":"error"');

const tell = (line: string) => process.stdout.write(`${line}\n`);

/** The platform, a service and whoever measures it, each in a process of its own: none delays another. */
export const startSeparately = async () => {
  const simulator = Bun.spawn([process.execPath, join(root, 'packages/simulator/src/main.ts')], {
    env: { PATH: process.env.PATH, SIMULATOR_PORT: '0', SIMULATOR_ENDS_WITH_INPUT: '1' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const { value } = await simulator.stdout.getReader().read();
  const simulatorUrl = new TextDecoder().decode(value).match(/http:\/\/[^/]+/)?.[0];
  if (!simulatorUrl) throw new Error('The simulator did not start');
  const control = async (method: string, path: string, body: unknown): Promise<void> => {
    const reply = await request(simulatorUrl, method, `/__sim${path}`, { body });
    if (reply.status >= 300) throw new Error(reply.text);
  };
  const limits = { limit: 1_000_000, perMs: 1000 };
  await control('PUT', '/limits', { default: limits, global: limits });

  const databaseUrl = await freshDatabase();
  const service = await startService({
    DATABASE_URL: databaseUrl,
    PLATFORM_API_URL: `${simulatorUrl}/api`,
    PLANS_FILE: await makePlansFile(),
  });
  const { url, pid, output } = service;
  const neighbour = { url, pid, output, key: (await createKey(databaseUrl)).key };
  return {
    service,
    simulatorUrl,
    databaseUrl,
    control,
    newAttacker: async (): Promise<Tenant> => tenantAt(service.url, await createKey(databaseUrl)),
    ...createAttack(neighbour),
    async stop() {
      simulator.kill();
      await simulator.exited;
    },
  };
};

const createAttack = (neighbour: { url: string; key: string; pid: number; output(): string }) => {
  let usual: Measured | undefined;
  const measure = async <Result>(name: string, work: () => Promise<Result>) => {
    const { result, ...measured } = await measureNeighbour(neighbour, work);
    tell(`${name}: ${JSON.stringify(measured)}`);
    return { result, ...measured };
  };
  return {
    measure,
    /** What is compiled and cached at the first requests is not measured. */
    async learnUsual(): Promise<void> {
      await measure('at first', () => Bun.sleep(1000));
      usual = (await measure('usual', () => Bun.sleep(5000))).account;
    },
    /** The usual is from now on what it is beside these: many requests cost something, whatever is in them. */
    async learnBeside(name: string, send: () => Promise<Reply>[]): Promise<void> {
      usual = (await measure(name, () => Promise.all(send()))).account;
    },
    /** What the attacker got, while the neighbour's request took about as long as always. */
    async attack(name: string, send: () => Promise<Reply>[]): Promise<Reply[]> {
      const { result, account } = await measure(name, () => Promise.all(send()));
      const statuses = result.map(({ status }) => status);
      tell(`${name}: answered with ${statuses.toSorted().join()}`);
      expect(account.statuses).toEqual([200]);
      expect(account.p99).toBeLessThan((usual?.p99 ?? 0) + laterByAtMostMs);
      const broken = statuses.filter((status) => status >= 500);
      if (broken.length > 0) tell(neighbour.output().split('\n').filter(isError).join('\n'));
      expect(broken).toEqual([]);
      return result;
    },
  };
};

export const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
