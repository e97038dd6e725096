import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { AutomodRule } from '../guild/community.ts';
import type { Guild } from '../guild/guild.ts';
import { Permission } from '../guild/permissions.ts';
import { accessGuild, type GuildAccess, requirePermissions } from '../http/access.ts';
import { invalidField, unknownAutomodRule } from '../http/api-error.ts';
import { parseForm, readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';

const Trigger = { Keyword: 1, Spam: 3, Preset: 4, MentionSpam: 5, Profile: 6 } as const;
const Action = { Block: 1, Alert: 2, Timeout: 3, Quarantine: 4 } as const;

const MAX_RULES_BY_TRIGGER: Record<number, number> = {
  [Trigger.Keyword]: 6,
  [Trigger.Spam]: 1,
  [Trigger.Preset]: 1,
  [Trigger.MentionSpam]: 1,
  [Trigger.Profile]: 1,
};

const words = (maximum: number) =>
  z
    .array(z.string().min(1).max(60))
    .max(maximum)
    .nullish()
    .transform((list) => list ?? []);
const patterns = z
  .array(z.string().min(1).max(260))
  .max(10)
  .nullish()
  .transform((list) => list ?? []);

const keywordMetadata = z
  .object({ keyword_filter: words(1000), regex_patterns: patterns, allow_list: words(100) })
  .prefault({});

/** What a trigger is told; fields of other triggers are ignored. */
const METADATA_BY_TRIGGER: Record<number, z.ZodType<Record<string, unknown>>> = {
  [Trigger.Keyword]: keywordMetadata,
  [Trigger.Spam]: z.object({}).prefault({}),
  [Trigger.Preset]: z
    .object({ presets: z.array(z.literal([1, 2, 3])).default([]), allow_list: words(1000) })
    .prefault({}),
  [Trigger.MentionSpam]: z
    .object({
      mention_total_limit: z.int().min(0).max(50).default(20),
      mention_raid_protection_enabled: z.boolean().default(false),
    })
    .prefault({}),
  [Trigger.Profile]: keywordMetadata,
};

const actionSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal(Action.Block),
    metadata: z
      .object({ custom_message: z.string().max(150).nullish() })
      .nullish()
      .transform((metadata) =>
        metadata?.custom_message ? { custom_message: metadata.custom_message } : {},
      ),
  }),
  z.object({ type: z.literal(Action.Alert), metadata: z.object({ channel_id: snowflakeField }) }),
  z.object({
    type: z.literal(Action.Timeout),
    metadata: z.object({ duration_seconds: z.int().min(0).max(2_419_200).default(60) }),
  }),
  z.object({
    type: z.literal(Action.Quarantine),
    metadata: z
      .looseObject({})
      .nullish()
      .transform((): Record<string, unknown> => ({})),
  }),
]);

const changesSchema = z.object({
  name: z.string().min(1).max(100).optional(),
  event_type: z.literal([1, 2]).optional(),
  trigger_metadata: z.record(z.string(), z.unknown()).nullish(),
  actions: z.array(actionSchema).min(1).max(5).optional(),
  enabled: z.boolean().nullish(),
  exempt_roles: z.array(snowflakeField).max(20).nullish(),
  exempt_channels: z.array(snowflakeField).max(50).nullish(),
});

const newSchema = changesSchema.required({ name: true, event_type: true, actions: true }).extend({
  trigger_type: z.literal(Object.values(Trigger)),
});

export const mountAutomodRoutes = (app: PlatformApp, platform: Platform) => {
  const path = '/guilds/:guild/auto-moderation/rules';
  const access = (c: PlatformContext) => accessGuild(platform, c, Permission.ManageGuild);
  const find = (c: PlatformContext) => {
    const found = access(c);
    const rule = found.guild.automod.get(c.req.param('rule') ?? '');
    if (!rule) throw unknownAutomodRule();
    return { ...found, rule };
  };
  app.get(path, (c) => c.json([...access(c).guild.automod.values()]));
  app.get(`${path}/:rule`, (c) => c.json(find(c).rule));
  app.post(path, async (c) => {
    const found = access(c);
    const { trigger_type, ...fields } = await readBody(c, newSchema);
    requireRoom(found.guild, trigger_type);
    const rule: AutomodRule = {
      id: platform.world.nextId(),
      guild_id: found.guild.id,
      creator_id: found.bot.id,
      name: fields.name,
      event_type: fields.event_type,
      trigger_type,
      trigger_metadata: readMetadata(trigger_type, fields.trigger_metadata ?? undefined),
      actions: [],
      enabled: false,
      exempt_roles: [],
      exempt_channels: [],
    };
    applyChanges(found, rule, fields);
    const watched = watch(found.guild, ['automod', rule.id]);
    found.guild.automod.set(rule.id, rule);
    announce(platform, byCaller(c), watched);
    return c.json(rule);
  });
  app.patch(`${path}/:rule`, async (c) => {
    const found = find(c);
    const changes = await readBody(c, changesSchema);
    const { rule } = found;
    const watched = watch(found.guild, ['automod', rule.id]);
    if (changes.trigger_metadata) {
      const merged = { ...rule.trigger_metadata, ...changes.trigger_metadata };
      rule.trigger_metadata = readMetadata(rule.trigger_type, merged);
    }
    applyChanges(found, rule, changes);
    announce(platform, byCaller(c), watched);
    return c.json(rule);
  });
  app.delete(`${path}/:rule`, (c) => {
    const { guild, rule } = find(c);
    const watched = watch(guild, ['automod', rule.id]);
    guild.automod.delete(rule.id);
    announce(platform, byCaller(c), watched);
    return c.body(null, 204);
  });
};

const requireRoom = ({ automod }: Guild, trigger: number) => {
  const maximum = MAX_RULES_BY_TRIGGER[trigger] ?? 0;
  const same = [...automod.values()].filter(({ trigger_type }) => trigger_type === trigger);
  if (same.length < maximum) return;
  const message = `Maximum number of rules with trigger type ${trigger} is ${maximum}`;
  throw invalidField([0], 'AUTO_MODERATION_MAX_RULES_OF_TYPE_EXCEEDED', message);
};

const readMetadata = (trigger: number, metadata: unknown): Record<string, unknown> =>
  parseForm(
    z.object({
      trigger_metadata: METADATA_BY_TRIGGER[trigger] ?? z.record(z.string(), z.unknown()),
    }),
    { trigger_metadata: metadata },
  ).trigger_metadata;

const applyChanges = (
  access: GuildAccess,
  rule: AutomodRule,
  changes: z.output<typeof changesSchema>,
) => {
  if (changes.actions) {
    requireActions(access, rule, changes.actions);
    rule.actions = changes.actions;
  }
  rule.name = changes.name ?? rule.name;
  rule.event_type = changes.event_type ?? rule.event_type;
  rule.enabled = changes.enabled ?? rule.enabled;
  rule.exempt_roles = changes.exempt_roles ?? rule.exempt_roles;
  rule.exempt_channels = changes.exempt_channels ?? rule.exempt_channels;
};

/** A timeout is for words and mentions and needs its own permission; a quarantine is for profiles. */
const requireActions = (
  { guild, permissions }: GuildAccess,
  { trigger_type }: AutomodRule,
  actions: AutomodRule['actions'],
) => {
  const refuse = (index: number, field: string, message: string) =>
    invalidField(['actions', index, ...field.split('.')], 'BASE_TYPE_BAD', message);
  for (const [index, { type, metadata }] of actions.entries()) {
    const isTimed = trigger_type === Trigger.Keyword || trigger_type === Trigger.MentionSpam;
    if (type === Action.Timeout && !isTimed) {
      throw refuse(index, 'type', 'This trigger cannot time members out.');
    }
    if (type === Action.Quarantine && trigger_type !== Trigger.Profile) {
      throw refuse(index, 'type', 'Only the profile trigger blocks interactions.');
    }
    if (type === Action.Timeout) requirePermissions(permissions, Permission.ModerateMembers);
    if (type === Action.Alert && !guild.channels.has(String(metadata.channel_id))) {
      throw refuse(index, 'metadata.channel_id', 'Unknown channel.');
    }
  }
};
