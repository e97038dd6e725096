import { expect } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { makeFolder, request } from '../running-service.ts';
import { freePort } from '../service-process.ts';

/** The sample configurations as they stand in the docs, but for certificate and ports. */
const samples = join(import.meta.dir, '../../../../../docs/edge');

const replaced = (text: string, changes: [RegExp, string][]): string =>
  changes.reduce((so, [pattern, by]) => {
    expect(so).toMatch(pattern);
    return so.replace(pattern, by);
  }, text);

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

const startNginx = async (urls: string[]): Promise<Edge> => {
  const [folder, port] = [await makeFolder(), freePort()];
  const site = replaced(await readFile(join(samples, 'nginx.conf'), 'utf8'), [
    [/listen 443 ssl;/, `listen 127.0.0.1:${port};`],
    [/ {2}ssl_certificate .*;\n/, ''],
    [/ {2}ssl_certificate_key .*;\n/, ''],
    ...['fail_timeout=3s', 'backup max_fails=0'].map((how): [RegExp, string] => [
      new RegExp(`( +server 127\\.0\\.0\\.1:\\d+ ${how};\\n)+`),
      urls.map((url) => `  server ${new URL(url).host} ${how};\n`).join(''),
    ]),
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

const startHaproxy = async (urls: string[]): Promise<Edge> => {
  const [folder, port] = [await makeFolder(), freePort()];
  const text = replaced(await readFile(join(samples, 'haproxy.cfg'), 'utf8'), [
    [/bind :443 ssl .*\n/, `bind 127.0.0.1:${port}\n`],
    [
      /( +server (one|two) 127\.0\.0\.1:\d+\n)+/,
      urls.map((url, at) => `  server process${at} ${new URL(url).host}\n`).join(''),
    ],
  ]);
  await writeFile(join(folder, 'haproxy.cfg'), text);
  return runEdge(port, ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')]);
};

/** Load balancers by name, each started in front of the given processes. */
export const edges: [string, (urls: string[]) => Promise<Edge>][] = [
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
];
