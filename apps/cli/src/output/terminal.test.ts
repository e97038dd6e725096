import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from '../../../server/test/harness/bots-and-servers.ts';
import { testWith } from '../../../server/test/harness/running-service.ts';
import type { Tenant } from '../../../server/test/harness/service.ts';
import { type CliService, startCliService } from '../../test/cli-service.ts';
import { hasTerminal, runInTerminal } from '../../test/run-cli.ts';

/** Clears the screen, by C1 too, and turns the rest of the line round. */
const hostile = 'Evil\u001b[2J\u009b2J\u202etrop\u0007';
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach the terminal
const harm = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let service: CliService;
let owner: Tenant;
let id: string;
beforeAll(async () => {
  service = await startCliService();
  owner = await service.newTenant();
  id = await createServer(owner, { name: hostile });
});
afterAll(() => service.stop());

const inTerminal = (...args: string[]) =>
  runInTerminal(args, {
    env: { HOLDFAST_URL: service.url, HOLDFAST_API_KEY: owner.key, NO_COLOR: '1' },
  });

const testInTerminal = testWith('script', hasTerminal);

describe('a hostile name', () => {
  testInTerminal('is escaped in JSON that a terminal shows, and means the same', async () => {
    const { screen } = await inTerminal('servers', 'list', '--json', 'id,name');
    expect(screen).not.toMatch(harm);
    expect(JSON.parse(screen)).toEqual([{ id, name: hostile }]);
  });

  testInTerminal('is cleaned in the strings of --jq, and escaped in its JSON', async () => {
    const { screen } = await inTerminal('servers', 'list', '--jq', '.[] | .name, {name}');
    expect(screen).not.toMatch(harm);
    const [text, json = ''] = screen.split('\n');
    expect(text).toBe('Evil\ufffd[2J\ufffd2J\ufffdtrop\ufffd');
    expect(JSON.parse(json)).toEqual({ name: hostile });
  });

  testInTerminal('does nothing in errors, whether they are text or JSON', async () => {
    for (const flags of [[], ['--json']]) {
      const { screen, exitCode } = await inTerminal('servers', 'get', 'Nowhere', ...flags);
      expect(exitCode).toBe(5);
      expect(screen).toContain('Evil');
      expect(screen).not.toMatch(harm);
    }
  });

  test('arrives in a pipe as it is', async () => {
    const listed = await service.runAs(owner, 'servers', 'list', '--json', 'name');
    expect(JSON.parse(listed.stdout)).toEqual([{ name: hostile }]);
    expect(listed.stdout).toContain('\u202e');
    const filtered = await service.runAs(owner, 'servers', 'list', '--jq', '.[].name');
    expect(filtered.stdout).toBe(`${hostile}\n`);
  });
});

testInTerminal('how to follow a job names the service that was chosen', async () => {
  const begun = await inTerminal('backup', id, '--no-wait', '--url', service.url);
  expect(begun.screen.replaceAll(/\s+/g, ' ')).toContain(`holdfast watch backup ${id} `);
  expect(begun.screen.trim()).toEndWith(`--url ${service.url}`);
});
