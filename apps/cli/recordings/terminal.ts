import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a terminal of tmux shows at a moment: lines with their colours as escape sequences. */
export type Frame = { lines: string[]; atMs: number };

export type Terminal = {
  /** Types a command as a person would and waits until the prompt is back, or until `pattern` is seen. */
  run(command: string, pattern?: RegExp): Promise<void>;
  type(text: string): Promise<void>;
  waitFor(pattern: RegExp): Promise<string>;
  /** Every picture so far, each as long as it stood. */
  frames(): Frame[];
  close(): Promise<void>;
};

const prompt = '$ ';
const betweenLooksMs = 80;
const betweenKeysMs = 35;
const mostWaitMs = 180_000;

type Size = { columns: number; rows: number };

/** A shell in a terminal of that size, with its own tmux server. */
export const openTerminal = async (
  { columns, rows }: Size,
  env: Record<string, string>,
): Promise<Terminal> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-recording-'));
  const tmux = async (...args: string[]): Promise<string> => {
    const child = Bun.spawn(['tmux', '-S', join(folder, 'socket'), '-f', '/dev/null', ...args], {
      env: { ...env, PS1: prompt, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', SHELL: '/bin/sh' },
      stderr: 'inherit',
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`tmux ${args[0]} failed`);
    return text;
  };
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '/bin/sh');
  await tmux('set', '-g', 'status', 'off');
  const frames: Frame[] = [];
  const startedAt = performance.now();
  const look = async (): Promise<string> => {
    const lines = (await tmux('capture-pane', '-e', '-p')).trimEnd().split('\n');
    const shown = lines.join('\n');
    if (frames.at(-1)?.lines.join('\n') !== shown) {
      frames.push({ lines, atMs: performance.now() - startedAt });
    }
    return shown;
  };
  const waitFor = async (pattern: RegExp): Promise<string> => {
    const deadline = performance.now() + mostWaitMs;
    while (performance.now() < deadline) {
      const shown = Bun.stripANSI(await look());
      if (pattern.test(shown)) return shown;
      await Bun.sleep(betweenLooksMs);
    }
    throw new Error(`The terminal does not show ${pattern}:\n${await look()}`);
  };
  const type = async (text: string): Promise<void> => {
    for (const key of text) {
      await tmux('send-keys', '-l', key);
      await Bun.sleep(betweenKeysMs);
      await look();
    }
    await tmux('send-keys', 'Enter');
  };
  return {
    ...{ waitFor, type },
    async run(command, pattern = /\n\$ ?$/) {
      await waitFor(/(^|\n)\$ ?$/);
      await type(command);
      // The prompt of before is still there for a moment.
      await Bun.sleep(300);
      await waitFor(pattern);
    },
    frames: () => frames,
    async close() {
      await tmux('kill-server');
      rmSync(folder, { recursive: true });
    },
  };
};
