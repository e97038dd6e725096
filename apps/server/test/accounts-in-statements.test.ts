import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { SourceFile } from './architecture/source-file.ts';
import { isTest } from './architecture/source-file.ts';
import { readScope } from './architecture/statements/declarations.ts';
import { readStatements } from './architecture/statements/statements.ts';
import { describeKeys, readTables, sortTables } from './architecture/statements/tables.ts';

const root = join(import.meta.dir, '../../..');
const sqlFile = /\/(?:queries|table)\.ts$|\/queries\/[^/]+\.ts$/;
const read = async (path: string) => ({ path, text: await Bun.file(join(root, path)).text() });
const paths = [...new Bun.Glob('apps/server/src/**/*.ts').scanSync(root)].filter((path) =>
  sqlFile.test(path),
);
const files = (await Promise.all(paths.map(read))).filter((file) => !isTest(file));
const tables = await readTables(root);

/** The ids of statements in `crossing.txt`; a line with `#` gives the reason of those below it. */
const readCrossing = async (): Promise<string[]> => {
  const { text } = await read('apps/server/test/architecture/statements/crossing.txt');
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  expect(first).toStartWith('# ');
  return lines
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => {
      const [path = '', names = ''] = line.split(': ');
      return names.split(' ').map((name) => `${path}#${name}`);
    });
};

describe('a statement', () => {
  const statements = readStatements(readScope(files), tables);

  test('names its account, or stands with a reason in crossing.txt', async () => {
    const crossing = statements.filter(({ sort }) => sort === 'crossing').map(({ id }) => id);
    expect(statements.length).toBeGreaterThan(700);
    expect((await readCrossing()).toSorted()).toEqual(crossing.toSorted());
  });
});

test('docs/scaling.md says of every table by what it belongs to an account', async () => {
  const { text } = await read('docs/scaling.md');
  const rows = text.split('\n').filter((line) => /^\| `[a-z_]+` \|/.test(line));
  expect(rows).toEqual(describeKeys(tables));
  const sorts = [...sortTables(tables).values()];
  const count = (sort: string) => sorts.filter((one) => one === sort).length;
  expect(text).toContain(
    `Of ${sorts.length} tables ${count('account')} have the account in a column, ${count('child')} belong to one ` +
      `through a row that they refer to, and ${count('shared')} belong to none.`,
  );
});

describe('the account of a statement', () => {
  const path = 'apps/server/src/features/members/queries/sample.ts';
  const helpers = files.filter((file) => file.path.endsWith('/db/queries/list-page.ts'));
  const sortOf = (...lines: string[]) => {
    const imports = [
      `import { members } from '../table.ts';`,
      `import { servers } from '../../servers/table.ts';`,
      `import { countRows } from '../../../db/queries/list-page.ts';`,
    ];
    const sample: SourceFile = { path, text: [...imports, ...lines].join('\n') };
    return readStatements(readScope([...helpers, sample]), tables).find(({ id }) =>
      id.endsWith('sample.ts#read'),
    )?.sort;
  };
  const start = 'export const read = (db: Queryable, of: Owner) => db.select().from(members)';

  test.each([
    ['is a condition', `${start}.where(eq(members.accountId, of.accountId));`, 'account'],
    ['is a condition in SQL', `${start}.where(sql\`account_id = \${of.accountId}\`);`, 'account'],
    [
      'is one by a name of the file',
      `const { accountId } =\n  members;\n${start}.where(inArray(accountId, of.ids));`,
      'account',
    ],
    [
      'is in a condition of the file',
      `const own = (of: Owner) => eq(members.accountId, of.id);\n${start}.where(own(of));`,
      'account',
    ],
    [
      'is given to a helper',
      'export const read = (db: Queryable, of: Owner) => countRows(db, members, eq(members.accountId, of.id));',
      'account',
    ],
    [
      'is not a join by it',
      `${start}.innerJoin(servers, eq(members.accountId, servers.accountId));`,
      'crossing',
    ],
    [
      'is not a column that is read',
      'export const read = (db: Queryable) => db.select({ of: members.accountId }).from(members);',
      'crossing',
    ],
    ['is not the server', `${start}.where(eq(members.serverId, of.serverId));`, 'crossing'],
    [
      'is not needed to add rows',
      'export const read = (db: Queryable, row: Row) => db.insert(members).values(row);',
      'insert',
    ],
  ])('%s', (_, text, sort) => {
    expect<string | undefined>(sortOf(text)).toBe(sort);
  });
});
