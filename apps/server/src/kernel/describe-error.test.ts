import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createBot } from '../../test/harness/bots-and-servers.ts';
import { startTestService, type Tenant, type TestService } from '../../test/harness/service.ts';
import { createLog } from './log.ts';

let service: TestService;
let owner: Tenant;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.newTenant();
});
afterAll(() => service.stop());

const canary = 'canary-5f1c9e';

/** Adds a server by HTTP, while the database refuses it. */
const failTo = async (check: string): Promise<string> => {
  const sql = service.db.$client;
  const customBotId = await createBot(owner);
  await sql.unsafe(`alter table servers add constraint broken check (${check}) not valid`);
  const before = service.logLines.length;
  const body = { platformGuildId: '77777777777', customBotId, name: canary, logChannelId: '66666' };
  const { status, body: answer } = await owner.call('POST', '/api/v1/servers', { body });
  await sql.unsafe('alter table servers drop constraint broken');
  expect([status, answer]).toEqual([500, { error: 'Internal server error' }]);
  return service.logLines.slice(before).join('\n');
};

test.each([
  ['its row breaks a constraint', "name = 'none'", '"constraint":"broken"'],
  ['a value has the wrong form', 'name::integer > 0', '22P02'],
])(
  'the log tells of a statement that failed because %s, without its values',
  async (_, check, fact) => {
    const lines = await failTo(check);
    expect(lines).toContain('request failed');
    expect(lines).toContain('insert into');
    expect(lines).toContain(fact);
    for (const value of [canary, '77777777777', '66666', owner.accountId]) {
      expect(lines).not.toContain(value);
    }
  },
);

const logged = (error: unknown): string => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  log.error({ err: error }, 'under a name');
  log.error({ err: error });
  if (error instanceof Error) log.error(error);
  return lines.join('');
};

const failedStatement = async (): Promise<unknown> => {
  const sql = service.db.$client;
  return sql`select ${canary}::integer`.then(
    () => undefined,
    (error: unknown) => error,
  );
};

test('nor are they logged of a cause, or of the parts of an AggregateError', async () => {
  const cause = await failedStatement();
  const outer = new Error('outer', { cause: new Error('middle', { cause }) });
  const many = new AggregateError([new Error('part', { cause }), cause], 'all of them');
  const detail = Object.assign(new Error('plain'), {
    detail: canary,
    params: [canary],
    where: canary,
  });
  for (const error of [cause, outer, many, detail]) {
    const line = logged(error);
    expect(line).not.toContain(canary);
  }
  expect(logged(outer)).toContain('describe-error.test.ts');
  expect(logged(outer)).toContain('22P02');
  expect(logged(many)).toContain('22P02');
});

test('an error that contains itself is described without endless recursion', () => {
  const error = new Error('round and round');
  error.cause = error;
  expect(logged(error)).toContain('round and round');
});
