import { eventually } from '../harness/eventually.ts';
import { freePort, type ServiceProcess, startProcess } from '../harness/service-process.ts';
import type { Sources } from './releases.ts';

type Environment = Record<string, string>;
type Member = { role: 'api' | 'worker' | 'gateway'; port: number; process: ServiceProcess };

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/** As long as production drains. */
const drain = { DRAIN_SECONDS: '6' };
const readyWithinMs = 60_000;

/**
 * Two API processes, a worker and a gateway over one database. Each is replaced by one of another version
 * that is started beside it: an API process at one of the spare ports, which the load balancer knows.
 */
export const startFleet = async (env: Environment, sources: Sources, spares: number) => {
  const ports = Array.from({ length: 2 + spares }, () => freePort());
  const freePorts = [...ports];
  const members: Member[] = [];
  const all: ServiceProcess[] = [];

  const start = async (role: Member['role'], { folder }: Sources): Promise<Member> => {
    const port = role === 'api' ? (freePorts.shift() ?? 0) : 0;
    const settings = { ROLE: role, PORT: String(port), ...(role === 'api' && drain) };
    const process = await startProcess({ ...env, ...settings }, folder);
    all.push(process);
    const member = { role, port, process };
    members.push(member);
    await eventually(readyWithinMs, async () => {
      const { status } = await fetch(`${process.url}/readyz`, { keepalive: false });
      if (status !== 200) throw new Error(`A process of ${folder} is not ready: ${status}`);
    });
    return member;
  };

  const stop = async (member: Member): Promise<void> => {
    members.splice(members.indexOf(member), 1);
    member.process.kill('SIGTERM');
    const code = await member.process.exited;
    if (code !== 0) throw new Error(`A process ended with ${code}: ${member.process.output()}`);
    if (member.role === 'api') freePorts.push(member.port);
  };

  const replace = async (member: Member, by: Sources): Promise<void> => {
    await start(member.role, by);
    await stop(member);
  };

  // The first one migrates the empty database and makes the master key.
  await start('api', sources);
  await Promise.all((['api', 'worker', 'gateway'] as const).map((role) => start(role, sources)));
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    /** One after the other, or all at once. */
    async roll(to: Sources, isAtOnce = false): Promise<void> {
      const before = [...members];
      if (isAtOnce) await Promise.all(before.map((member) => replace(member, to)));
      else for (const member of before) await replace(member, to);
    },
    /** What went wrong in any of them, by their logs. */
    errors: () =>
      all.flatMap((process) =>
        process
          .output()
          .split('\n')
          .filter((line) => line.includes('"level":"error"')),
      ),
    async stop(): Promise<void> {
      await Promise.all([...members].map(stop));
    },
    kill(): void {
      for (const { process } of members) process.kill('SIGKILL');
    },
  };
};
