import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { z } from 'zod';
import { jobDefinitions } from '../src/main/jobs.ts';
import { runnersOf, shareOf } from '../src/queue/worker/share.ts';

/** Jobs of nobody, and what each goes through, of all accounts at once. */
const ofTheSystem: Record<string, string> = {
  'alerts.expire': 'old alerts',
  'analytics.roll-up': 'attempts of the last hours',
  'backups.index-people': 'objects without an index',
  'backups.read-structures': 'backups of an earlier version',
  'backups.redact-all': 'accounts whose redaction is not complete, each of which gets a job',
  'backups.schedule': 'servers whose backup is due, each of which gets a job',
  'backups.sweep': 'files and objects that a crash left',
  'billing.expire-subscriptions': 'grace times and months that end',
  'bots.check-all': 'bots that were not checked for hours',
  'device-login.expire': 'old authorizations',
  'drills.schedule': 'servers whose drill is due, each of which gets a job',
  'gateway.release-lost': 'bots of gateway processes that died',
  'http.expire-answers': 'old answers',
  'marketplace.expire-orders': 'orders whose time is over',
  'members.check-tokens': 'servers whose tokens were not counted for hours',
  'panels.look-at-all': 'servers with panels, each of which gets a job',
  'panels.post-due': 'servers with panels that are due, each of which gets a job',
  'protection.end-waves': 'waves that are over',
  'protection.look-daily': 'protected servers, each of which gets a job',
  'protection.tend-waves': 'waves of newcomers',
  'protection.tidy-up': 'what is not needed any more, and what was left undone',
  'pulls.expire-members': 'old results',
  'pulls.refresh-recalls': 'recalls, each of which gets a job where people left it',
  'rejoins.resume': 'returns that were left, of which each server gets a job',
  'restores.test-backups': 'backups whose test is due, each of which gets a job',
  'seal.rewrap': 'secrets under an older key',
  'service.back-up': 'the service itself',
  'servers.refresh-all': 'servers that were not looked at for an hour',
  'sessions.expire': 'old sessions',
  'uploads.expire': 'uploads that nothing uses',
  'vault.refresh': 'tokens that end soon',
  'verification.expire': 'verifications that were left',
  'verification.resume-roles': 'servers that withhold a role',
};

const accountId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const inOrder = jobDefinitions.toSorted((one, other) => (one.name < other.name ? -1 : 1));

describe('a job', () => {
  test('is an account’s, or it is named here with what it goes through', () => {
    const ungrouped = inOrder.filter(({ groupOf }) => !groupOf).map(({ name }) => name);
    expect(ungrouped).toEqual(Object.keys(ofTheSystem).toSorted());
  });

  const grouped = inOrder.filter(({ groupOf }) => groupOf !== undefined);
  test.each(grouped.map((job) => [job.name, job] as const))(
    '%s is in the group of its account, however many bots that has',
    (_, job) => {
      const { properties = {} } = z.toJSONSchema(job.payload, { io: 'input' });
      expect(Object.keys(properties)).toContain('accountId');
      expect(job.groupOf?.({ accountId, botId: 'one' } as object)).toBe(accountId);
      expect(job.groupOf?.({ accountId, botId: 'another' } as object)).toBe(accountId);
    },
  );

  test('leaves runners to other accounts', () => {
    for (const job of grouped) {
      expect([job.name, shareOf(job)]).toEqual([job.name, Math.max(1, runnersOf(job) >> 3)]);
      expect([job.name, shareOf(job) * 2 <= runnersOf(job)]).toEqual([job.name, true]);
    }
  });
});

test('the table of all queues in the documents is true', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/architecture/jobs.md')).text();
  const rows = inOrder.map((job) => {
    const { name } = job;
    const of = job.groupOf ? 'account' : `all: ${ofTheSystem[name]}`;
    return `| \`${name}\` | ${of} | ${runnersOf(job)} | ${job.groupOf ? shareOf(job) : ''} |`;
  });
  const table = ['| Queue | Group | Runners | Of these one group |', '|---|---|---|---|', ...rows];
  expect(page).toContain(table.join('\n'));
});
