import { spawn } from 'node:child_process';
import type { Environment } from './profiles.ts';

/** The system's own store of secrets, used by its own program: keys are never arguments, which others could see. */
type Keychain = {
  name: string;
  read(profile: string): Promise<string | undefined>;
  /** False if it refused, for example because nobody is logged in to a desktop. */
  write(profile: string, key: string): Promise<boolean>;
  remove(profile: string): Promise<void>;
};

const service = 'holdfast';

export const openKeychain = (env: Environment, platform = process.platform): Keychain =>
  platform === 'darwin' ? macKeychain(env) : secretService(env);

const macKeychain = (env: Environment): Keychain => ({
  name: 'the macOS keychain',
  async read(profile) {
    const find = ['find-generic-password', '-s', service, '-a', profile, '-w'];
    return found(await runTool(env, 'security', find));
  },
  async write(profile, key) {
    // With `-i` it reads its command from standard input.
    const command = `add-generic-password -U -s ${service} -a "${profile}" -w "${key}"\n`;
    return (await runTool(env, 'security', ['-i'], command)).exitCode === 0;
  },
  async remove(profile) {
    await runTool(env, 'security', ['delete-generic-password', '-s', service, '-a', profile]);
  },
});

const secretService = (env: Environment): Keychain => {
  const named = (profile: string) => ['service', service, 'profile', profile];
  return {
    name: 'the keyring',
    async read(profile) {
      return found(await runTool(env, 'secret-tool', ['lookup', ...named(profile)]));
    },
    async write(profile, key) {
      const store = ['store', '--label', `Holdfast (${profile})`, ...named(profile)];
      return (await runTool(env, 'secret-tool', store, key)).exitCode === 0;
    },
    async remove(profile) {
      await runTool(env, 'secret-tool', ['clear', ...named(profile)]);
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
