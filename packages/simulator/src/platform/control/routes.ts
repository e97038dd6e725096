import { z } from 'zod';
import { byNobody } from '../announce/announce.ts';
import { replaceGuild } from '../announce/replace-guild.ts';
import { snapshotGuild, snapshotSchema } from '../guild/snapshot.ts';
import type { PipelineDependencies } from '../http/pipeline.ts';
import { limitsSchema } from '../http/rate-limits.ts';
import type { RequestLog } from '../http/request-log.ts';
import type { Platform, PlatformApp } from '../platform.ts';
import { isSnowflake } from '../snowflakes.ts';
import { type Faults, faultSchema } from './faults.ts';
import { guardControl, withBody } from './guard.ts';

/** The control API for tests: state, limits, faults and the log. It is not part of the platform's API. */
export const mountControl = (app: PlatformApp, dependencies: PipelineDependencies) => {
  const { platform, limits, log, faults, latency } = dependencies;
  guardControl(app);
  mountProcessControl(app, platform);
  mountGuildControl(app, platform);
  mountLogControl(app, log);
  mountFaultControl(app, faults);
  app.put(
    '/__sim/clock',
    withBody(clockSchema, ({ idsAtMs }, c) => {
      platform.world.dateIds(idsAtMs);
      return c.json({ idsAtMs });
    }),
  );
  app.put(
    '/__sim/latency',
    withBody(latencySchema, ({ ms }, c) => {
      latency.ms = ms;
      return c.json({ ms });
    }),
  );
  app.put(
    '/__sim/permission-sync',
    withBody(permissionSyncSchema, ({ isOn }, c) => {
      platform.world.permissionSync.isOn = isOn;
      return c.json({ isOn });
    }),
  );
  app.get('/__sim/limits', (c) => c.json(limits.get()));
  app.put(
    '/__sim/limits',
    withBody(limitsSchema, (body, c) => {
      limits.set(body);
      return c.json(limits.get());
    }),
  );
};

const clockSchema = z.strictObject({
  idsAtMs: z.int().min(1_500_000_000_000).max(4_000_000_000_000).nullable(),
});
const permissionSyncSchema = z.strictObject({ isOn: z.boolean() });
const latencySchema = z.strictObject({ ms: z.number().min(0).max(60_000) });

const environmentSchema = z.object({
  SIMULATOR_OWNER_PID: z.coerce.number().int().positive().optional(),
  SIMULATOR_STATE_FILE: z.string().optional(),
});
const ownerSchema = z.object({ ownerPid: z.int().positive() });

/** What runs here and which process is to stop it: a service that finds a simulator needs both. */
const mountProcessControl = (app: PlatformApp, { identities }: Platform) => {
  const environment = environmentSchema.parse(process.env);
  let ownerPid = environment.SIMULATOR_OWNER_PID ?? null;
  const isStrict = 'isOpen' in identities && identities.isOpen === false;
  const describe = () => ({
    name: 'holdfast-simulator',
    pid: process.pid,
    ownerPid,
    mode: isStrict ? 'strict' : 'open',
    stateFile: environment.SIMULATOR_STATE_FILE ?? null,
  });
  app.get('/__sim', (c) => c.json(describe()));
  app.put(
    '/__sim',
    withBody(ownerSchema, (owner, c) => {
      ownerPid = owner.ownerPid;
      return c.json(describe());
    }),
  );
};

const mountGuildControl = (app: PlatformApp, platform: Platform) => {
  const { world, gateway } = platform;
  app.get('/__sim/guilds/:id', (c) => {
    const guild = world.findGuild(c.req.param('id'));
    return guild ? c.json(snapshotGuild(world, guild)) : c.json({ message: 'No such guild.' }, 404);
  });
  app.delete('/__sim/guilds/:id', (c) => {
    const guild = world.findGuild(c.req.param('id'));
    if (!guild) return c.json({ message: 'No such guild.' }, 404);
    gateway.dispatch(guild, { name: 'GUILD_DELETE', data: () => ({ id: guild.id }) });
    world.removeGuild(guild);
    world.reportChange();
    return c.body(null, 204);
  });
  app.put('/__sim/guilds/:id', async (c) => {
    const id = c.req.param('id');
    if (!isSnowflake(id)) return c.json({ message: 'A guild id is a number.' }, 400);
    const restore = withBody(snapshotSchema, (snapshot) => {
      replaceGuild(platform, byNobody(c), id, snapshot);
      world.reportChange();
      return c.body(null, 204);
    });
    return restore(c);
  });
};

const sinceSchema = z.coerce.number().int().min(0).catch(0);

const logSchema = z.strictObject({ keepsAnswers: z.boolean() });

const mountLogControl = (app: PlatformApp, log: RequestLog) => {
  app.get('/__sim/log', (c) => c.json(log.since(sinceSchema.parse(c.req.query('since') ?? 0))));
  app.put(
    '/__sim/log',
    withBody(logSchema, ({ keepsAnswers }, c) => {
      log.keepAnswers(keepsAnswers);
      return c.json({ keepsAnswers });
    }),
  );
  app.delete('/__sim/log', (c) => {
    log.clear();
    return c.body(null, 204);
  });
};

const mountFaultControl = (app: PlatformApp, faults: Faults) => {
  app.get('/__sim/faults', (c) => c.json(faults.list()));
  app.post(
    '/__sim/faults',
    withBody(faultSchema, (fault, c) => {
      faults.add(fault);
      return c.json(fault, 201);
    }),
  );
  app.delete('/__sim/faults', (c) => {
    faults.clear();
    return c.body(null, 204);
  });
};
