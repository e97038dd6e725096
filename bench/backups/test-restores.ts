import { testRestore } from '../../apps/server/src/features/restores/verify/test-restore.ts';
import { snapshotOf } from '../../apps/server/test/harness/guilds/arbitrary-guild.ts';
import { smallGuild } from '../../apps/server/test/harness/guilds/small-guild.ts';
import { milliseconds, print, printTable, verdict } from '../lib/print.ts';
import { median } from '../lib/statistics.ts';

const few = 10_000;
const many = 100_000;
const goal = 2;
const rounds = 3;

/** A hundred thousand members planned, restored in memory and compared: per member, against ten thousand. */
export const measureTestRestores = async (): Promise<void> => {
  print('backups: the test restore of a large server, in the process');
  await timeOf(few);
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.few.push(await timeOf(few));
    times.many.push(await timeOf(many));
  }
  const [ofFew, ofMany] = [median(times.few), median(times.many)];
  const ratio = ofMany / many / (ofFew / few);
  printTable(
    ['members', 'took', 'per member'],
    [
      [String(few), milliseconds(ofFew), '1.00'],
      [String(many), milliseconds(ofMany), ratio.toFixed(2)],
    ],
  );
  print(`  per member, ${many} / ${few} ≤ ${goal}: ${verdict(ratio <= goal)}\n`);
};

const timeOf = async (members: number): Promise<number> => {
  const memberRoles = Array.from({ length: members }, (_, index) => ({
    ...{ userId: String(10n ** 17n + BigInt(index)), nick: `Member ${index}` },
    ...{ roleIds: [], isBot: false },
  }));
  const snapshot = { ...snapshotOf(smallGuild()), memberRoles };
  const startedAt = performance.now();
  const { restorable } = await testRestore(snapshot);
  if (!restorable) throw new Error('The backup is not restorable');
  return performance.now() - startedAt;
};
