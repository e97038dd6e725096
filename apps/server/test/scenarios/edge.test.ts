import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accountOf, cardSubscription, sendCard, signingSecret } from '../billing-scene.ts';
import { freshDatabase } from '../database.ts';
import { eventually } from '../eventually.ts';
import type { ServiceProcess } from '../process.ts';
import {
  endScene,
  makeFolder,
  makePlansFile,
  mintKey,
  request,
  startService,
  tenantAt,
  testWith,
} from './scene.ts';

setDefaultTimeout(40_000);

/** The sample configurations as they stand in the docs, but for certificate and ports. */
const samples = join(import.meta.dir, '../../../../docs/edge');

let service: ServiceProcess;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  service = await startService({
    ...{ DATABASE_URL: databaseUrl, ROLE: 'api', PLANS_FILE: await makePlansFile() },
    ...{ BILLING_SIGNING_SECRET: signingSecret, TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
});
afterAll(endScene);

const replaced = (text: string, changes: [RegExp, string][]): string =>
  changes.reduce((so, [pattern, by]) => {
    expect(so).toMatch(pattern);
    return so.replace(pattern, by);
  }, text);

const freePort = (): number => {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } });
  const { port } = taken;
  taken.stop(true);
  return port;
};

type Edge = { url: string; stop(): Promise<void> };

const runEdge = async (port: number, command: string[]): Promise<Edge> => {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  try {
    await eventually(10_000, async () => {
      expect((await request(url, 'GET', '/healthz')).status).toBe(200);
    });
  } catch (error) {
    await stop();
    throw new Error(`${command[0]}: ${await new Response(child.stderr).text()}`, { cause: error });
  }
  return { url, stop };
};

const startNginx = async (): Promise<Edge> => {
  const [folder, port] = [await makeFolder(), freePort()];
  const site = replaced(await readFile(join(samples, 'nginx.conf'), 'utf8'), [
    [/listen 443 ssl;/, `listen 127.0.0.1:${port};`],
    [/ {2}ssl_certificate .*;\n/, ''],
    [/ {2}ssl_certificate_key .*;\n/, ''],
    [/server 127\.0\.0\.1:3000;/, `server ${new URL(service.url).host};`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const main = [
    `pid ${folder}/nginx.pid; error_log stderr; events {}`,
    `http { access_log off; ${temporary.join(' ')}\n${site}\n}`,
  ];
  await writeFile(join(folder, 'nginx.conf'), main.join('\n'));
  const asked = ['-g', 'daemon off;', '-c', join(folder, 'nginx.conf'), '-p', folder];
  return runEdge(port, ['nginx', ...asked]);
};

const startHaproxy = async (): Promise<Edge> => {
  const [folder, port] = [await makeFolder(), freePort()];
  const text = replaced(await readFile(join(samples, 'haproxy.cfg'), 'utf8'), [
    [/bind :443 ssl .*\n/, `bind 127.0.0.1:${port}\n`],
    [/server one 127\.0\.0\.1:3000/, `server one ${new URL(service.url).host}`],
  ]);
  await writeFile(join(folder, 'haproxy.cfg'), text);
  return runEdge(port, ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')]);
};

/** A request without a key from that address, as it leaves the machine. */
const remainingFor = async (url: string, from: string, headers: string[] = []) => {
  const asked = ['curl', '-s', '-D', '-', '-o', '/dev/null', '--interface', from];
  const child = Bun.spawn([
    ...asked,
    ...headers.flatMap((h) => ['-H', h]),
    `${url}/api/v1/account`,
  ]);
  const head = await new Response(child.stdout).text();
  return Number(head.match(/x-ratelimit-remaining: (\d+)/i)?.[1]);
};

const edges: [string, () => Promise<Edge>][] = [
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
];

describe.each(edges)('behind %s, set up as the docs say,', (program, start) => {
  const testWithEdge = testWith(program, Bun.which(program) !== null);

  testWithEdge('a signed event arrives as it was signed, and a flood is held up', async () => {
    const edge = await start();
    try {
      const minted = await mintKey(databaseUrl, { plan: 'FREE' });
      const caller = {
        call: (method: string, path: string, options = {}) =>
          request(edge.url, method, path, options),
      };
      const event = cardSubscription(minted.userId).checkout('PREMIUM', undefined, {
        customer_details: { name: 'José\r\n' },
      });
      expect((await sendCard(caller, event)).status).toBe(200);
      expect((await accountOf(tenantAt(edge.url, minted))).plan).toBe('PREMIUM');

      const flood = await Promise.all(
        Array.from({ length: 400 }, () => sendCard(caller, event).then(({ status }) => status)),
      );
      expect(new Set(flood)).toEqual(new Set([200, 429]));
      expect(flood.filter((status) => status === 200).length).toBeWithin(100, 300);
      // Everything else goes on.
      expect((await accountOf(tenantAt(edge.url, minted))).plan).toBe('PREMIUM');
    } finally {
      await edge.stop();
    }
  });

  testWithEdge('each client is known by its own address, whatever it claims', async () => {
    const edge = await start();
    try {
      // Of its own for each program: addresses are remembered for ten seconds.
      const [one, other] =
        program === 'nginx' ? ['127.0.0.2', '127.0.0.3'] : ['127.0.0.4', '127.0.0.5'];
      const first = await remainingFor(edge.url, one);
      expect(await remainingFor(edge.url, one)).toBe(first - 1);
      expect(await remainingFor(edge.url, other)).toBe(first);
      const claim = ['X-Forwarded-For: 198.51.100.7', 'X-Real-IP: 198.51.100.7'];
      expect(await remainingFor(edge.url, one, claim)).toBe(first - 2);
    } finally {
      await edge.stop();
    }
  });
});
