import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testWith } from '../../../server/test/harness/running-service.ts';
import { builtCli, cliEnvironment, makeHome, removeHomes, runCli } from '../../test/run-cli.ts';
import { commonOptions } from '../command.ts';
import { allCommands } from '../commands/all.ts';
import { attributeOf, specOf } from '../parse.ts';
import { candidatesFor } from './completion.ts';
import { derivedDocs } from './write.ts';

test('docs/cli.md and the man page say what the commands say', () => {
  for (const { path, text } of derivedDocs()) {
    expect(readFileSync(path, 'utf8') === text, `${path.pathname}: npm run docs`).toBe(true);
  }
});

testWith('man', Bun.which('man') !== null)('man can read its page', async () => {
  const page = derivedDocs().find(({ path }) => path.pathname.endsWith('.1'))?.path.pathname ?? '';
  const man = Bun.spawn(['man', '--warnings', '-l', page], {
    env: cliEnvironment({ MANWIDTH: '100', LC_ALL: 'C.UTF-8' }),
    stderr: 'pipe',
  });
  expect(await new Response(man.stdout).text()).toContain('backups create <server>');
  expect(await new Response(man.stderr).text()).toBe('');
});

describe('the recipes', () => {
  const pages = ['cli', 'community-as-code'].map((name) =>
    readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8'),
  );
  const blocks = pages.flatMap((page) => page.match(/^```[\s\S]*?^```/gm) ?? []);

  test('name commands and options that there are', () => {
    const specs = allCommands();
    const lines = blocks.flatMap(
      (block) => block.replaceAll('\\\n', '').match(/holdfast [a-z].*/g) ?? [],
    );
    expect(lines.length).toBeGreaterThan(150);
    for (const line of lines) {
      const words =
        line
          .split(/[|;<>)]|&&| # /)[0]
          ?.split(/\s+/)
          .slice(1) ?? [];
      const spec = specOf(specs, words);
      expect(spec, line).toBeDefined();
      const known = [...(spec?.options ?? []), ...commonOptions]
        .map(({ flags }) => flags)
        .join(' ');
      for (const flag of words.filter((word) => word.startsWith('--'))) {
        expect(known.split(/[ ,]+/), line).toContain(flag.split('=')[0] ?? '');
      }
    }
  });

  test('show no key to the list of processes: none stands in a line', () => {
    for (const block of blocks) expect(block).not.toMatch(/HOLDFAST_API_KEY=/);
  });
});

describe('every command', () => {
  test('has a summary without a full stop, an example of itself, and no flag twice', () => {
    for (const { words, summary, examples = [], options = [] } of allCommands()) {
      expect(summary).not.toEndWith('.');
      expect(examples.some(({ line }) => line.includes(`holdfast ${words.join(' ')}`))).toBe(true);
      const flags = options.flatMap((option) => option.flags.match(/--[\w-]+/g) ?? []);
      expect(flags.length, words.join(' ')).toBe(new Set(flags).size);
    }
  });

  test('has no option under the name of another, with those that all commands have', () => {
    for (const { words, options = [] } of allCommands()) {
      const flagsByName = Map.groupBy([...options, ...commonOptions], attributeOf);
      for (const [name, some] of flagsByName) {
        // Only a flag and its opposite are the same.
        const flags = new Set(some.map((option) => option.flags.replace('--no-', '--')));
        expect(flags.size, `${words.join(' ')}: ${name}`).toBe(1);
      }
    }
  });
});

describe('completion', () => {
  const specs = allCommands();
  const wordsFor = (...typed: string[]) => candidatesFor(specs, typed).map(({ word }) => word);

  test('knows groups, tasks, verbs, flags and the values of flags', () => {
    expect(wordsFor('back')).toEqual(['backup', 'backups']);
    expect(wordsFor('restores', '')).toEqual(['plan', 'get', 'cancel']);
    expect(wordsFor('backups', 'create', 'Harbour', '--mes')).toEqual(['--messages-per-channel']);
    expect(wordsFor('restore', 'Harbour', '--mode', 'REP')).toEqual(['REPLACE', 'REPAIR']);
    expect(wordsFor('backup', 'x', '--components', 'roles,em')).toEqual(['roles,emojis']);
    expect(wordsFor('completion', 'z')).toEqual(['zsh']);
    expect(wordsFor('completion', '--profile', 'x', 'z')).toEqual(['zsh']);
    expect(wordsFor('servers', 'list', '--json', 'id,nam')).toEqual(['id,name']);
    expect(wordsFor('diff', 'x', 'y', '--json', 'differs,un')).toEqual(['differs,unread']);
    expect(wordsFor('watch', '--json', 'safety')).toEqual(['safetyBackupId']);
  });

  testWith('bash', Bun.which('bash') !== null)('works in bash', async () => {
    const script = (await runCli(['completion', 'bash'])).stdout;
    const program = `holdfast() { '${process.execPath}' '${await builtCli()}' "$@"; }
${script}
COMP_WORDS=(holdfast backups c); COMP_CWORD=2; _holdfast; echo "\${COMPREPLY[*]}"`;
    const bash = Bun.spawn(['bash', '--norc', '-c', program], { env: cliEnvironment() });
    expect(await new Response(bash.stdout).text()).toBe('create contents compare\n');
  });

  /** What a shell prints that finds the program by its name. */
  const printedBy = async (...shell: string[]): Promise<string> => {
    const folder = makeHome();
    const program = `#!/bin/sh\nexec '${process.execPath}' '${await builtCli()}' "$@"\n`;
    writeFileSync(join(folder, 'holdfast'), program, { mode: 0o755 });
    const env = cliEnvironment({ PATH: `${folder}:${process.env.PATH}`, HOME: folder });
    const child = Bun.spawn(shell, { env, cwd: folder, stdin: 'ignore' });
    return new Response(child.stdout).text();
  };
  afterAll(removeHomes);

  testWith('fish', Bun.which('fish') !== null)('works in fish', async () => {
    const lines = ['backups c', 'completion ', 'servers list --json id,nam'];
    const asked = lines.map((line) => `complete -C 'holdfast ${line}'`).join('; ');
    const program = `holdfast completion fish | source; ${asked}`;
    const printed = await printedBy('fish', '--no-config', '-c', program);
    const words = printed.split('\n').map((line) => line.split('\t')[0]);
    const expected = ['compare', 'contents', 'create', 'bash', 'fish', 'zsh', 'id,name', ''];
    expect(words).toEqual(expected);
  });

  testWith('zsh', Bun.which('zsh') !== null)(
    'works in zsh',
    async () => {
      const program = `zmodload zsh/zpty; zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u -D; source <(holdfast completion zsh); echo READY'
zpty -r shell seen '*READY*READY*'
zpty -w -n shell $'holdfast restores ca\t'
zpty -r shell seen '*restores cancel*' && print completed
zpty -d shell`;
      expect(await printedBy('zsh', '-f', '-c', program)).toBe('completed\n');
    },
    30_000,
  );
});
