import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { migrateDatabase } from '../../../src/db/migrate.ts';
import { freshDatabase } from '../../harness/database.ts';
import { connectSql, stopServices, testWith } from '../../harness/running-service.ts';
import { nextRelease, thisVersion } from '../../upgrade/releases.ts';
import { faultsOf, upgradeUnderLoad } from '../../upgrade/scenario.ts';

setDefaultTimeout(300_000);
afterAll(stopServices);

const testWithEdge = testWith('haproxy', Bun.which('haproxy') !== null);

/** `npm run upgrade` does the same, at length, with the last release. */
testWithEdge(
  'a release is upgraded to the next under load and rolled back, without a failed request or job',
  async () => {
    const databaseUrl = await freshDatabase();
    const report = await upgradeUnderLoad({
      ...{ databaseUrl, from: thisVersion, to: await nextRelease() },
      ...{ restMs: 500, pulls: 1, membersOfEach: 30, isAtOnce: true },
    });
    expect(faultsOf(report)).toEqual([]);
    const jobs = report.phases.flatMap((phase) => phase.jobs.map(({ kind }) => kind));
    expect(new Set(jobs)).toEqual(new Set(['backup', 'restore', 'pull']));
    const sql = connectSql(databaseUrl);
    expect([
      ...(await sql`select tag, step from drizzle.schema_steps order by 1 desc limit 1`),
    ]).toEqual([{ tag: '9999_next-release', step: 'expand' }]);
    expect(await migrateDatabase(databaseUrl)).toBe(0);
  },
);
