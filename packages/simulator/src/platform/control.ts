import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { z } from 'zod';
import { type Faults, faultSchema } from './faults.ts';
import { restoreSnapshot, snapshotSchema, takeSnapshot } from './guild-snapshot.ts';
import type { PipelineParts } from './pipeline.ts';
import type { Platform, PlatformApp, PlatformEnv } from './platform.ts';
import { limitsSchema } from './rate-limits.ts';
import type { RequestLog } from './request-log.ts';
import { isSnowflake } from './snowflakes.ts';

/** The tester's own door: state, limits, faults and the log (not part of the platform's API). */
export const mountControl = (app: PlatformApp, parts: PipelineParts) => {
  app.use('/__sim/*', allowLoopbackOnly, refuseBrowsers, requireJson);
  mountProcessControl(app, parts.platform);
  mountGuildControl(app, parts.platform);
  mountLogControl(app, parts.log);
  mountFaultControl(app, parts.faults);
  app.get('/__sim/limits', (c) => c.json(parts.limits.get()));
  app.put('/__sim/limits', async (c) => {
    const limits = await readControl(c, limitsSchema);
    if (limits instanceof Response) return limits;
    parts.limits.set(limits);
    return c.json(parts.limits.get());
  });
};

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Requests that came by no socket (`app.request` in tests) have no address and are let in. */
const allowLoopbackOnly = createMiddleware<PlatformEnv>(async (c, next) => {
  const address = c.env?.remoteAddress;
  if (address !== undefined && !LOOPBACK.test(address)) {
    return c.json({ message: 'Control is for this machine only.' }, 403);
  }
  await next();
});

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Pages of other sites reach this machine by the browser of whoever looks at them: those name their
 * origin with every change, and a name that was made to point here is in `Host`.
 */
const refuseBrowsers = createMiddleware<PlatformEnv>(async (c, next) => {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!LOOPBACK_HOST.test(host)) {
    return c.json({ message: 'Control answers to loopback names only.' }, 403);
  }
  if (c.req.header('origin') !== undefined) {
    return c.json({ message: 'Control is not for pages.' }, 403);
  }
  await next();
});

/** A form or a simple request of a page cannot have this content type. */
const requireJson = createMiddleware<PlatformEnv>(async (c, next) => {
  const takesBody = c.req.method === 'PUT' || c.req.method === 'POST';
  const type = c.req.header('content-type') ?? '';
  if (takesBody && !/^application\/json\s*(;|$)/i.test(type)) {
    return c.json({ message: 'Send JSON: Content-Type: application/json.' }, 415);
  }
  await next();
});

const processSchema = z.object({
  SIMULATOR_OWNER_PID: z.coerce.number().int().positive().optional(),
  SIMULATOR_STATE_FILE: z.string().optional(),
});
const ownerSchema = z.object({ ownerPid: z.int().positive() });

/** What runs here, and which process is to stop it: a service that finds it must know both. */
const mountProcessControl = (app: PlatformApp, { identities }: Platform) => {
  const started = processSchema.parse(process.env);
  let ownerPid = started.SIMULATOR_OWNER_PID ?? null;
  const isStrict = 'isOpen' in identities && identities.isOpen === false;
  const describe = () => ({
    name: 'holdfast-simulator',
    pid: process.pid,
    ownerPid,
    mode: isStrict ? 'strict' : 'open',
    stateFile: started.SIMULATOR_STATE_FILE ?? null,
  });
  app.get('/__sim', (c) => c.json(describe()));
  app.put('/__sim', async (c) => {
    const owner = await readControl(c, ownerSchema);
    if (owner instanceof Response) return owner;
    ownerPid = owner.ownerPid;
    return c.json(describe());
  });
};

const mountGuildControl = (app: PlatformApp, { world, identities }: Platform) => {
  app.get('/__sim/guilds/:id', (c) => {
    const guild = world.findGuild(c.req.param('id'));
    return guild ? c.json(takeSnapshot(world, guild)) : c.json({ message: 'No such guild.' }, 404);
  });
  app.put('/__sim/guilds/:id', async (c) => {
    const id = c.req.param('id');
    if (!isSnowflake(id)) return c.json({ message: 'A guild id is a number.' }, 400);
    const snapshot = await readControl(c, snapshotSchema);
    if (snapshot instanceof Response) return snapshot;
    restoreSnapshot(world, identities, id, snapshot);
    world.reportChange();
    return c.body(null, 204);
  });
};

const sinceSchema = z.coerce.number().int().min(0).catch(0);

const mountLogControl = (app: PlatformApp, log: RequestLog) => {
  app.get('/__sim/log', (c) => c.json(log.since(sinceSchema.parse(c.req.query('since') ?? 0))));
  app.delete('/__sim/log', (c) => {
    log.clear();
    return c.body(null, 204);
  });
};

const mountFaultControl = (app: PlatformApp, faults: Faults) => {
  app.get('/__sim/faults', (c) => c.json(faults.list()));
  app.post('/__sim/faults', async (c) => {
    const fault = await readControl(c, faultSchema);
    if (fault instanceof Response) return fault;
    faults.add(fault);
    return c.json(fault, 201);
  });
  app.delete('/__sim/faults', (c) => {
    faults.clear();
    return c.body(null, 204);
  });
};

const readControl = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema> | Response> => {
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined));
  return parsed.success
    ? parsed.data
    : c.json({ message: 'Invalid body.', details: z.flattenError(parsed.error) }, 400);
};
