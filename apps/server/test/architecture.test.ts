import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { findUnjudgedGiving } from './architecture/giving.ts';
import { findImportCircles, findUnusedExports } from './architecture/imports.ts';
import { findLayerFaults } from './architecture/layers.ts';
import { findLayoutFaults } from './architecture/layout.ts';
import type { EntryPoints, SourceFile } from './architecture/source-file.ts';
import { isTest } from './architecture/source-file.ts';
import { findForeignWrites, findSqlFaults } from './architecture/sql.ts';

const root = join(import.meta.dir, '../../..');

const readFiles = async (...patterns: string[]): Promise<SourceFile[]> => {
  const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  const isSource = (path: string) => !/node_modules|\.d\.ts$|\.config\.ts$/.test(path);
  const read = async (path: string) => ({ path, text: await Bun.file(join(root, path)).text() });
  return Promise.all(paths.filter(isSource).sort().map(read));
};

/** What `package.json` offers to others: `@holdfast/dashboard/build` is `apps/dashboard/build.ts`. */
const readEntryPoints = async (): Promise<EntryPoints> => {
  // Compiled against the built package as a program of its own, never imported.
  const entryPoints: EntryPoints = { 'typed-user': 'packages/sdk/test/typed-user.ts' };
  for (const path of new Bun.Glob('{apps,packages}/*/package.json').scanSync(root)) {
    const { name, exports = {}, bin = {} } = await Bun.file(join(root, path)).json();
    for (const [specifier, target] of Object.entries({ ...exports, ...bin })) {
      entryPoints[join(name, specifier)] = join(path, '..', String(target));
    }
  }
  return entryPoints;
};

const allFiles = await readFiles(
  '{apps,packages}/*/{src,test}/**/*.{ts,tsx,mjs}',
  '{apps,packages}/*/*.ts',
  'bench/**/*.ts',
  'deploy/**/*.ts',
);
const entryPoints = await readEntryPoints();
const sources = allFiles.filter((file) => file.path.includes('/src/') && !isTest(file));
const serverSources = sources.filter(({ path }) => path.startsWith('apps/server/'));

describe('in the repository', () => {
  test('every file imports only its own module and lower layers', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(findLayerFaults)).toEqual([]);
  });

  test('SQL stands only in table.ts, queries.ts and queries/', () => {
    expect(sources.flatMap(findSqlFaults)).toEqual([]);
  });

  test('every table is written only by the module that declares it', () => {
    expect(findForeignWrites(serverSources)).toEqual([]);
  });

  test('text is normalized by the one function that is not quadratic', () => {
    const normalizing = serverSources.filter(({ text }) => text.includes('.normalize('));
    expect(normalizing.map(({ path }) => path)).toEqual([
      'apps/server/src/kernel/normalize-text.ts',
    ]);
  });

  test('what is computed of a whole guild is begun by tasks, which are done aside', () => {
    const computing =
      /import (?!type)[^;]*\b(planRestore|planUndo|planSteps|testRestore|findDifferences|findOpenChannels|stripSnapshot|describePlan|writeDocument)\b[^;]*;/;
    const isPure = /features\/restores\/(plan|undo|verify)\/|-task\.ts$/;
    const inline = serverSources.filter(
      ({ path, text }) => computing.test(text) && !isPure.test(path),
    );
    expect(inline.map(({ path }) => path)).toEqual([]);
  });

  test('nothing gives a role, an overwrite or a permission without asking whether it gives power', () => {
    expect(serverSources.flatMap(findUnjudgedGiving)).toEqual([]);
  });

  test('no files import each other in a circle', () => {
    expect(findImportCircles(allFiles, entryPoints)).toEqual([]);
  });

  test('every export is imported somewhere', () => {
    expect(findUnusedExports(allFiles, entryPoints)).toEqual([]);
  });

  test('every folder holds several files, and every feature looks alike', () => {
    expect(findLayoutFaults(allFiles)).toEqual([]);
  });
});

const inBots = 'apps/server/src/features/bots/routes.ts';
const botTable: SourceFile = {
  path: 'apps/server/src/features/bots/table.ts',
  text: `export const bots = pgTable(\n  'bots',\n  {});`,
};
const file = (path: string, ...lines: string[]): SourceFile => ({ path, text: lines.join('\n') });

describe('the layers forbid', () => {
  test.each([
    ['an import upwards', inBots, `import { x } from '../servers/queries.ts';`, 'upwards'],
    ['a type from above', inBots, `import type { X } from '../overview/rules.ts';`, 'upwards'],
    ['a dynamic import upwards', inBots, `await import('../../main/app.ts');`, 'upwards'],
    ['an import in a type', inBots, `type X = import('../servers/rules.ts').X;`, 'upwards'],
    ['an import sideways', inBots, `export * from '../keys/queries.ts';`, 'sideways'],
    [
      'modules of the lowest layers that use each other',
      'apps/server/src/http/app.ts',
      `import { q } from '../queue/queue.ts';`,
      'sideways',
    ],
    [
      'a workspace that reaches into another',
      'packages/contract/src/index.ts',
      `import { x } from '../../../apps/server/src/kernel/ids.ts';`,
      'another workspace',
    ],
    [
      'a package that the contract may not use',
      'packages/contract/src/index.ts',
      `import { Hono } from 'hono';`,
      'may use only',
    ],
    ['a file in no layer', 'apps/server/src/utils/x.ts', `import '../kernel/ids.ts';`, 'no layer'],
  ])('%s', (_, path, text, message) => {
    expect(findLayerFaults({ path, text }).join()).toContain(message);
  });

  test('neither a lower layer, nor the own module, nor what a comment names', () => {
    const text = [
      `import { a } from './queries.ts';`,
      `import '../accounts/queries.ts';`,
      `const glob = 'src/**/*.ts'; // import { x } from "../servers/queries.ts"`,
      `/*\nimport { x } from "../servers/queries.ts";\n*/`,
    ];
    expect(findLayerFaults(file(inBots, ...text))).toEqual([]);
  });
});

describe('outside of table.ts and queries is found', () => {
  test.each([
    ['a tagged statement', 'db.execute(sql`select 1`);'],
    ['a built statement', 'await tx\n  .select({ id })\n  .from(bots);'],
    ['a statement as text', `run('delete from bots where true');`],
  ])('%s', (_, text) => {
    expect(findSqlFaults({ path: inBots, text }).join()).toContain('holds SQL');
    for (const name of ['queries.ts', 'queries/owned.ts', 'table.ts', 'import/queries.ts']) {
      expect(findSqlFaults({ path: `apps/server/src/features/bots/${name}`, text })).toEqual([]);
    }
  });
});

describe('power that is given without asking is found in', () => {
  test.each([
    ['an edit of a member', 'await guild.editMember(userId, { roleIds });', 'calls editMember'],
    ['an overwrite', 'guild.setOverwrite(channelId, overwrite)', 'calls setOverwrite'],
    ['a role', 'bot.guild(id).createRole(role)', 'calls createRole'],
    ['a role that nobody judged', 'const role = id as GivableRoleId;', 'judgeRoles'],
    ['several of them', 'roles as readonly GivableRoleId[]', 'judgeRoles'],
    ['a call that is handed on', 'const set = guild.setOverwrite;', 'calls setOverwrite'],
    ['a call that is taken out', 'const { editRole } = guild;', 'calls editRole'],
    ['a call by its name in brackets', "await guild['editRole'](id, role);", 'calls editRole'],
    ['people who are let into an invite', 'guild.setInviteUsers(code, ids);', 'setInviteUsers'],
    ['channels that are moved', 'await guild.placeChannels(places);', 'calls placeChannels'],
    ['a function that makes the call', 'await setOverwrite(guild, id, own);', 'calls setOverwrite'],
    ['an overwrite that nobody judged', 'const one = own as GivableOverwrite;', 'judgeOverwrite'],
  ])('%s', (_, text, message) => {
    expect(findUnjudgedGiving({ path: inBots, text }).join()).toContain(message);
  });

  test('no call that asks, and no type of one', () => {
    const text = 'guild.giveRole(id, roleId, ask); const type: GivableRoleId[] = judged;';
    expect(findUnjudgedGiving({ path: inBots, text })).toEqual([]);
  });
});

describe("a write to another module's table is found in", () => {
  const inServers = 'apps/server/src/features/servers/queries.ts';
  const named = `import { bots } from '../bots/table.ts';`;

  test.each([
    ['an insert', named, 'await tx.insert(bots).values(row);'],
    ['an update', named, 'await tx\n  .update(bots)\n  .set({ name });'],
    ['a delete', named, 'db.delete(bots).where(isOwned)'],
    ['another name', `import { bots as robots } from '../bots/table.ts';`, 'tx.delete(robots)'],
    ['a namespace', `import * as tables from '../bots/table.ts';`, 'tx.delete(tables.bots)'],
    ['a function that is given the table', named, 'await purgeRows(tx, bots, serverId);'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file, not a template
    ['a tagged statement', named, 'tx.execute(sql`delete from ${bots} where true`)'],
    ['SQL as text', '', "client.unsafe('insert into bots (id) values (1)')"],
    ['SQL with an alias', '', 'client`update bots as b set name = null`'],
    ['a truncation', '', 'client`truncate bots`'],
  ])('%s', (_, imported, statement) => {
    const written = findForeignWrites([botTable, file(inServers, imported, statement)]);
    expect(written).toEqual([`${inServers} writes bots, a table of features/bots`]);
    const inOwn = 'apps/server/src/features/bots/import/queries.ts';
    const own = file(inOwn, imported.replace('../bots/', '../'), statement);
    expect(findForeignWrites([botTable, own])).toEqual([]);
  });

  test('no statement that only reads or locks', () => {
    const reads = [
      named,
      'tx.select().from(bots).where(eq(bots.id, id)).for("update", { of: bots });',
      'hash.update(text); seen.delete(bots.id);',
      'client`select 1 from bots for update of bots`;',
      'client`insert into robots values (1)`;',
    ];
    expect(findForeignWrites([botTable, file(inServers, ...reads)])).toEqual([]);
  });
});

describe('an import circle is found', () => {
  test.each([
    ['of types', `import type { B } from './b.ts';`, `import { type A } from './a.ts';`],
    ['of dynamic imports', `const b = () => import('./b.ts');`, `export * from './a.ts';`],
    ['of a file and itself', `import { a } from './a.ts';`, ''],
  ])('%s', (_, a, b) => {
    const circles = findImportCircles([file('src/a.ts', a), file('src/b.ts', b)]);
    expect(circles).toHaveLength(1);
    expect(circles[0]).toContain('src/a.ts →');
  });

  test('once, by its shortest way, and not for those who import it', () => {
    const files = [
      file('main.ts', `import './a.ts';`),
      file('a.ts', `import { b } from './b.ts';`),
      file('b.ts', `import { c } from '@holdfast/c';`, `import './leaf.ts';`),
      file('c.ts', `import { a } from './a.ts';`),
      file('leaf.ts', ''),
    ];
    expect(findImportCircles(files, { '@holdfast/c': 'c.ts' })).toEqual([
      'import circle: a.ts → b.ts → c.ts → a.ts',
    ]);
  });
});

describe('an unused export is found', () => {
  test.each([
    ['of a constant', 'export const a = 1;', 'a'],
    ['of a function', 'export async function a() {}', 'a'],
    ['of a type', 'export type A = string;', 'A'],
    ['of a list', 'const a = 1;\nexport { a as b };', 'b'],
    ['of a pattern', 'export const { a: b } = make();', 'b'],
    ['of another file', `export { a } from './a.ts';`, 'a'],
    ['of the default', 'export default function a() {}', 'default'],
  ])('%s', (_, text, name) => {
    const unused = findUnusedExports([file('b.ts', text), file('a.ts', `import './b.ts';`)]);
    expect(unused).toEqual([`b.ts exports ${name}, which no file imports`]);
  });

  test.each([
    ['a named import', `import { a } from './a.ts';`],
    ['another name', `import b, { a as c } from './a.ts';`],
    ['an import of a type', `import type { a } from './a.ts';`],
    ['an import over several lines', `import {\n  type a,\n  b,\n} from './a.ts';`],
    ['a namespace', `import * as all from './a.ts';`],
    ['a dynamic import', `const { a } = await import('./a.ts');`],
    ['an import in a type', `type A = import('./a.ts').a;`],
    ['an export from there', `export { a } from './a.ts';`],
  ])('but not one that is used by %s', (_, text) => {
    const files = [file('a.ts', 'export const a = 1;'), file('entry.ts', text)];
    expect(findUnusedExports(files, { '@holdfast/entry': 'entry.ts' })).toEqual([]);
  });
});

describe('the layout forbids', () => {
  const feature = (name: string) => file(`apps/server/src/features/bots/${name}`, '');

  test('a folder with a single source file, however many tests it holds', () => {
    const files = [feature('feature.ts'), feature('routes.ts'), feature('check/token.ts')];
    const faults = findLayoutFaults([...files, feature('check/token.test.ts')]);
    expect(faults.join()).toContain('check/token.ts is the only source file');
    expect(findLayoutFaults([...files, feature('check/client.ts')])).toEqual([]);
  });

  test('other files at the root of a feature, and a feature without feature.ts', () => {
    expect(findLayoutFaults([feature('routes.ts'), feature('tools.tsx')])).toEqual([
      'apps/server/src/features/bots/ has no feature.ts',
      expect.stringContaining("tools.tsx stands at a feature's root"),
    ]);
    expect(
      findLayoutFaults([feature('feature.ts'), feature('bots.test.ts'), feature('jobs.ts')]),
    ).toEqual([]);
  });
});
