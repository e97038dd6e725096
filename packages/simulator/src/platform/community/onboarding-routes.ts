import { z } from 'zod';
import { announce, byCaller } from '../announce/announce.ts';
import { watch } from '../announce/watch.ts';
import type { Onboarding, OnboardingPrompt } from '../guild/community.ts';
import type { Guild } from '../guild/guild.ts';
import { canEveryone, Permission } from '../guild/permissions.ts';
import { accessGuild } from '../http/access.ts';
import { ApiError, invalidField, onboardingMustBeReadable } from '../http/api-error.ts';
import { readBody, snowflakeField } from '../http/read-body.ts';
import type { Platform, PlatformApp, PlatformContext } from '../platform.ts';

const MIN_DEFAULT_CHANNELS = 7;
const MIN_WRITABLE_CHANNELS = 5;
/** Mode 1 counts the channels of the questions too. */
const ADVANCED_MODE = 1;

const ids = (maximum: number) =>
  z
    .array(snowflakeField)
    .max(maximum)
    .nullish()
    .transform((list) => list ?? []);

const optionSchema = z.object({
  id: snowflakeField.nullish(),
  title: z.string().min(1).max(50),
  description: z.string().max(100).nullish(),
  emoji_id: snowflakeField.nullish(),
  emoji_name: z.string().max(100).nullish(),
  emoji_animated: z.boolean().nullish(),
  emoji: z
    .object({
      id: snowflakeField.nullish(),
      name: z.string().nullish(),
      animated: z.boolean().nullish(),
    })
    .nullish(),
  role_ids: ids(50),
  channel_ids: ids(50),
});

const promptSchema = z.object({
  /** Of a new question an invented one: it gets another. */
  id: snowflakeField,
  title: z.string().min(1).max(100),
  options: z.array(optionSchema).min(1).max(50),
  single_select: z.boolean().nullish(),
  required: z.boolean().nullish(),
  in_onboarding: z.boolean().nullish(),
  type: z.literal([0, 1]).nullish(),
});

const onboardingSchema = z.object({
  prompts: z.array(promptSchema).max(15).nullish(),
  default_channel_ids: z.array(snowflakeField).max(500).nullish(),
  enabled: z.boolean().nullish(),
  mode: z.literal([0, 1]).nullish(),
});

export const mountOnboardingRoutes = (app: PlatformApp, platform: Platform) => {
  app.get('/guilds/:guild/onboarding', (c) =>
    c.json(presentOnboarding(accessGuild(platform, c).guild)),
  );
  app.put('/guilds/:guild/onboarding', (c) => putOnboarding(platform, c));
};

const presentOnboarding = ({ id, onboarding }: Guild) => ({ guild_id: id, ...onboarding });

const putOnboarding = async (platform: Platform, c: PlatformContext) => {
  const { guild } = accessGuild(platform, c, Permission.ManageGuild, Permission.ManageRoles);
  const asked = await readBody(c, onboardingSchema);
  const { onboarding: before } = guild;
  const onboarding: Onboarding = {
    prompts: asked.prompts
      ? readPrompts(asked.prompts, before.prompts, platform.world.nextId)
      : before.prompts,
    default_channel_ids: asked.default_channel_ids ?? before.default_channel_ids,
    enabled: asked.enabled ?? before.enabled,
    mode: asked.mode ?? before.mode,
  };
  requireReferences(guild, onboarding);
  requireReadable(guild, onboarding);
  requireMinimum(guild, onboarding);
  const watched = watch(guild, 'onboarding');
  guild.onboarding = onboarding;
  announce(platform, byCaller(c), watched);
  return c.json(presentOnboarding(guild));
};

type AskedPrompt = z.output<typeof promptSchema>;

/** A question or answer that was there keeps its id, a new one gets one. */
const readPrompts = (
  asked: AskedPrompt[],
  before: OnboardingPrompt[],
  nextId: () => string,
): OnboardingPrompt[] => {
  const knownIds = new Set(
    before.flatMap(({ id, options }) => [id, ...options.map((one) => one.id)]),
  );
  const idOf = (id: string | null | undefined) => (id && knownIds.has(id) ? id : nextId());
  return asked.map((prompt) => ({
    id: idOf(prompt.id),
    title: prompt.title,
    options: prompt.options.map((option) => ({
      id: idOf(option.id),
      title: option.title,
      description: option.description ?? '',
      emoji: readEmoji(option),
      role_ids: option.role_ids,
      channel_ids: option.channel_ids,
    })),
    single_select: prompt.single_select ?? false,
    required: prompt.required ?? false,
    in_onboarding: prompt.in_onboarding ?? false,
    type: prompt.type ?? 0,
  }));
};

/** Older clients send the emoji as an object. */
const readEmoji = ({
  emoji_id,
  emoji_name,
  emoji_animated,
  emoji,
}: z.output<typeof optionSchema>) => ({
  id: emoji_id ?? emoji?.id ?? null,
  name: emoji_name ?? emoji?.name ?? null,
  animated: emoji_animated ?? emoji?.animated ?? false,
});

const requireReferences = (guild: Guild, { prompts, default_channel_ids }: Onboarding) => {
  const refuse = (path: (string | number)[], kind: string) =>
    invalidField(path, 'BASE_TYPE_BAD', `Unknown ${kind}.`);
  for (const [index, id] of default_channel_ids.entries()) {
    if (!guild.channels.has(id)) throw refuse(['default_channel_ids', index], 'channel');
  }
  for (const [index, { options }] of prompts.entries()) {
    for (const [place, { role_ids, channel_ids }] of options.entries()) {
      const path = ['prompts', index, 'options', place];
      if (!role_ids.every((id) => guild.roles.has(id) && id !== guild.id)) {
        throw refuse([...path, 'role_ids'], 'role');
      }
      if (!channel_ids.every((id) => guild.channels.has(id))) {
        throw refuse([...path, 'channel_ids'], 'channel');
      }
    }
  }
};

const requireReadable = (guild: Guild, { default_channel_ids }: Onboarding) => {
  for (const id of default_channel_ids) {
    const channel = guild.channels.get(id);
    if (channel && !canEveryone(guild, channel, Permission.ViewChannel)) {
      throw onboardingMustBeReadable();
    }
  }
};

/** To be shown it needs a community with enough channels that newcomers can read and write. */
const requireMinimum = (guild: Guild, onboarding: Onboarding) => {
  const { enabled, mode, prompts, default_channel_ids } = onboarding;
  if (!enabled) return;
  const offered = prompts.flatMap(({ options }) =>
    options.flatMap(({ channel_ids }) => channel_ids),
  );
  const counted = new Set([...default_channel_ids, ...(mode === ADVANCED_MODE ? offered : [])]);
  const writable = [...counted].filter((id) => {
    const channel = guild.channels.get(id);
    return channel && canEveryone(guild, channel, Permission.ViewChannel | Permission.SendMessages);
  });
  const isCommunity = guild.settings.features.includes('COMMUNITY');
  const hasEnough =
    counted.size >= MIN_DEFAULT_CHANNELS && writable.length >= MIN_WRITABLE_CHANNELS;
  if (isCommunity && hasEnough) return;
  if (guild.onboarding.enabled) {
    throw new ApiError(400, 350001, 'Cannot update onboarding while below requirements');
  }
  throw new ApiError(400, 350000, 'Cannot enable onboarding, requirements are not met');
};
