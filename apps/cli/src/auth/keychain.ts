import { spawn } from 'node:child_process';
import type { Environment } from './private-files.ts';

/** The system's own store of secrets, used by its own program: keys are never arguments, which others could see. */
type Keychain = {
  name: string;
  read(entry: string): Promise<string | undefined>;
  /** False if it refused, for example because nobody is logged in to a desktop. */
  write(entry: string, key: string): Promise<boolean>;
  remove(entry: string): Promise<void>;
};

const service = 'holdfast';

export const openKeychain = (env: Environment, platform = process.platform): Keychain =>
  platform === 'darwin' ? macKeychain(env) : secretService(env);

const macKeychain = (env: Environment): Keychain => {
  const read: Keychain['read'] = async (entry) => {
    const find = ['find-generic-password', '-s', service, '-a', entry, '-w'];
    return found(await runTool(env, 'security', find));
  };
  return {
    name: 'the macOS keychain',
    read,
    async write(entry, key) {
      // With `-i` it reads its command from standard input, and may end well where the command failed.
      const command = `add-generic-password -U -s ${service} -a "${entry}" -w "${key}"\n`;
      await runTool(env, 'security', ['-i'], command);
      return (await read(entry)) === key;
    },
    async remove(entry) {
      await runTool(env, 'security', ['delete-generic-password', '-s', service, '-a', entry]);
    },
  };
};

const secretService = (env: Environment): Keychain => {
  const named = (entry: string) => ['service', service, 'profile', entry];
  const read: Keychain['read'] = async (entry) =>
    found(await runTool(env, 'secret-tool', ['lookup', ...named(entry)]));
  return {
    name: 'the keyring',
    read,
    async write(entry, key) {
      const store = ['store', '--label', `Holdfast (${entry})`, ...named(entry)];
      const { exitCode } = await runTool(env, 'secret-tool', store, key);
      return exitCode === 0 && (await read(entry)) === key;
    },
    async remove(entry) {
      await runTool(env, 'secret-tool', ['clear', ...named(entry)]);
    },
  };
};

type ToolResult = { exitCode: number | null; stdout: string };

const found = ({ exitCode, stdout }: ToolResult): string | undefined =>
  exitCode === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;

/** A keyring may wait for a password that nobody is there to type. */
const patienceMs = 60_000;

/** The exit code is null if there is no such program. */
const runTool = (
  env: Environment,
  program: string,
  args: string[],
  input = '',
): Promise<ToolResult> =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      ...{ env, timeout: patienceMs },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.on('error', () => resolve({ exitCode: null, stdout: '' }));
    child.on('close', (exitCode) => resolve({ exitCode, stdout }));
    // It may end before it has read anything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
