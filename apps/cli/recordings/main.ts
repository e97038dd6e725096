import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { openDashboard } from '../../dashboard/screenshots/capture.ts';
import { root, startLocalMode } from '../../dashboard/screenshots/local-mode.ts';
import { renameGuild, scatter, wreck } from '../../dashboard/screenshots/seed.ts';
import { buildFile } from '../build.ts';
import { drawRecording } from './svg.ts';
import { type Frame, openTerminal } from './terminal.ts';

/**
 * Records the command line in local mode, in a real terminal (tmux): the way from signing in to a community
 * that is back. The pictures are those of docs/cli.md.
 */
const size = { columns: 84, rows: 24 };
const output = join(root, 'docs/recordings');

const local = await startLocalMode({ hasRateLimits: true });
const home = await mkdtemp(join(tmpdir(), 'holdfast-recording-'));
const browser = await chromium.launch({
  executablePath: Bun.which('chromium') ?? '',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  await installCommand();
  const [server] = (await local.holdfast.listServers()).data;
  if (!server) throw new Error('The demo has no server');
  const params = { id: server.id };
  await renameGuild(local.simulatorUrl, server.platformGuildId);
  await local.holdfast.updateServer({ params, body: { name: 'Harbour Lights' } });
  await mkdir(output, { recursive: true });
  await record('login', 'Signing in by a code that the browser approves', async (terminal) => {
    await terminal.run(`holdfast login --url ${local.url}`, /user_code=|code/i);
    await approve(await terminal.waitFor(/http\S+\/dashboard\/device\S*/));
    await terminal.run('holdfast whoami');
  });
  await record('backup', 'A backup, and what a restore of it would do', async (terminal) => {
    await terminal.run('holdfast backup "Harbour Lights"');
    await wreck(local.simulatorUrl, server.platformGuildId);
    await scatter(local, server.id);
    await terminal.run('holdfast restores plan "Harbour Lights" latest');
  });
  await record(
    'recover',
    'The channels are restored, then the members return',
    async (terminal) => {
      await terminal.run('holdfast recover "Harbour Lights"', /Type Harbour Lights/);
      await terminal.type('Harbour Lights');
      await terminal.waitFor(/\n\$ ?$/);
    },
  );
} finally {
  await browser.close();
  await local.stop();
  await rm(home, { recursive: true });
}

type Terminal = Awaited<ReturnType<typeof openTerminal>>;

async function record(
  name: string,
  title: string,
  act: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const path = `${join(home, 'bin')}:${process.env.PATH}`;
  const terminal = await openTerminal(size, { HOME: home, PATH: path });
  try {
    await act(terminal);
    const frames = terminal.frames();
    const description = textOf(frames.at(-1));
    await Bun.write(
      join(output, `${name}.svg`),
      drawRecording(frames, size, { title, description }),
    );
    process.stdout.write(`${name}.svg: ${frames.length} screens\n${description}\n\n`);
  } finally {
    await terminal.close();
  }
}

function textOf(frame: Frame | undefined): string {
  return Bun.stripANSI(frame?.lines.join('\n') ?? '');
}

/** The one file, under the name that people type. */
async function installCommand(): Promise<void> {
  await mkdir(join(home, 'bin'));
  await buildFile(join(home, 'holdfast.mjs'));
  await symlink(join(home, 'holdfast.mjs'), join(home, 'bin/holdfast'));
}

async function approve(screen: string): Promise<void> {
  const link = /http\S+\/dashboard\/device\S*/.exec(screen)?.[0] ?? '';
  const { context, page } = await openDashboard(local, browser, {
    viewport: { width: 1280, height: 900 },
  });
  await page.goto(link);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('You can close this page.').waitFor();
  await context.close();
}
