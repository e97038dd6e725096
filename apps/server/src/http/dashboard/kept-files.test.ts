import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Hono } from 'hono';
import { freshDatabase } from '../../../test/harness/database.ts';
import { closeDatabase, connectDatabase, type Database } from '../../db/connect.ts';
import type { HttpEnv } from '../context.ts';
import { keepFiles } from './kept-files.ts';
import { mountDashboard } from './mount-dashboard.ts';

const buildOf = (hash: string) => ({
  ...{ scripts: [`main-${hash}.js`], style: `style-${hash}.css` },
  frame: { html: '', style: '', script: '' },
  files: [
    { name: `main-${hash}.js`, type: 'text/javascript', text: `say('${hash}')` },
    { name: `style-${hash}.css`, type: 'text/css', text: `/* ${hash} */` },
  ],
});
const older = buildOf('aaaa1111');
const newer = buildOf('bbbb2222');

describe('while two releases run side by side', () => {
  let db: Database;
  beforeAll(async () => {
    db = connectDatabase(await freshDatabase(), { name: 'dashboard-files' });
    await keepFiles(db, older.files);
    await keepFiles(db, newer.files);
  });
  afterAll(() => closeDatabase(db));

  const ask = (build: typeof older, name: string, headers = {}) => {
    const app = new Hono<HttpEnv>();
    mountDashboard(app, db, build);
    return app.request(`/dashboard/assets/${name}`, { headers });
  };

  test('each one has the scripts and styles of the other, as they are', async () => {
    for (const [asked, owner] of [
      [older, newer],
      [newer, older],
    ] as const) {
      for (const { name, type, text } of owner.files) {
        const own = await ask(owner, name);
        const elsewhere = await ask(asked, name);
        expect(elsewhere.status).toBe(200);
        expect(await elsewhere.text()).toBe(text);
        expect(elsewhere.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
        expect([...elsewhere.headers]).toEqual([...own.headers]);
      }
    }
  });

  test('a file that no release has is not found, whatever it is called', async () => {
    const names = [
      'main-cccc3333.js',
      'package.json',
      '..%2F..%2F.env',
      'main-%00.js',
      "x' or 1=1",
    ];
    for (const name of [...names, `${'a'.repeat(5000)}-aaaa1111.js`]) {
      expect((await ask(newer, name)).status).toBe(404);
    }
  });

  test('files are kept for 90 days after the last process of their release', async () => {
    const age = (days: number, name: string) => db.$client`
      update dashboard_files set served_at = now() - make_interval(days => ${days}) where name = ${name}`;
    await age(89, 'main-aaaa1111.js');
    await age(91, 'style-aaaa1111.css');
    await age(91, 'main-bbbb2222.js');
    await keepFiles(db, newer.files);
    expect((await ask(newer, 'main-aaaa1111.js')).status).toBe(200);
    expect((await ask(newer, 'style-aaaa1111.css')).status).toBe(404);
    expect((await ask(older, 'main-bbbb2222.js')).status).toBe(200);
  });

  test('several processes of one release may begin at once', async () => {
    const third = buildOf('dddd4444');
    await Promise.all(Array.from({ length: 8 }, () => keepFiles(db, third.files)));
    expect((await ask(older, 'main-dddd4444.js')).status).toBe(200);
  });
});
